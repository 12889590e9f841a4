/* src/cmd/device_commands.h - option --as: print a setting as a script for NICs or switches. */
#ifndef CMD_DEVICE_COMMANDS_H
#define CMD_DEVICE_COMMANDS_H

#include "cmd/options.h"
#include "core/knobs.h"

enum device { DEVICE_MLX5, DEVICE_SONIC, DEVICE_NONE };

/* The row of --as, which fills an enum device. */
#define DEVICE_OPTION(type, field) \
    { "as", 0, "mlx5|sonic", "Print the setting as a shell script for mlx5 NICs or as a WRED profile for " \
      "SONiC switches", KEY_AT(type, field), .choices = device_names }
extern const char *const device_names[];

/* Prints the script after a comment 'about'. DEVICE_NONE: prints nothing. */
void device_print(enum device, const struct knobs *, const char *about);

#endif
