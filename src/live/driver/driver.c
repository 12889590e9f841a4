#include "live/driver/driver.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

const struct driver *const driver_all[] = { &driver_mlx5, &driver_sonic, NULL };

const struct driver *driver_find(const char *name)
{
    for (int i = 0; driver_all[i]; i++)
        if (strcmp(driver_all[i]->name, name) == 0)
            return driver_all[i];
    return NULL;
}

int driver_read_text(const char *path, char *text, size_t size)
{
    int     fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return -errno;
    ssize_t length = read(fd, text, size - 1);
    if (length < 0)
        length = -errno;
    close(fd);
    length -= length > 0 && text[length - 1] == '\n';
    text[length > 0 ? length : 0] = '\0';
    return length < 0 ? (int)length : 0;
}
