#include "live/driver/driver.h"

#include <string.h>

const struct driver *const driver_all[] = { &driver_mlx5, &driver_mrc, &driver_sonic, NULL };

const struct driver *driver_find(const char *name)
{
    for (int i = 0; driver_all[i]; i++)
        if (strcmp(driver_all[i]->name, name) == 0)
            return driver_all[i];
    return NULL;
}
