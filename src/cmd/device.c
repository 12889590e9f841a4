/* src/cmd/device.c - see device.h. */
#include "cmd/device.h"
#include "cmd/cmd.h"
#include "report/setting_print.h"

enum device device_of(const char *word)
{
    static const char *const names[] = { "mlx5", "sonic", NULL };

    return (enum device)(1 + cmd_choice("--as", word, names));
}

void device_print(enum device device, const struct knobs *knobs, const char *about)
{
    if (device == DEVICE_MLX5)
        setting_print_mlx5(knobs, about, stdout);
    else if (device == DEVICE_SONIC)
        setting_print_sonic(knobs, about, stdout);
}
