#include "cmd/device_commands.h"
#include "report/setting_print.h"

const char *const device_names[] = { "mlx5", "sonic", NULL };

void device_print(enum device device, const struct knobs *knobs, const char *about)
{
    if (device == DEVICE_MLX5)
        setting_print_mlx5(knobs, about, stdout);
    else if (device == DEVICE_SONIC)
        setting_print_sonic(knobs, about, stdout);
}
