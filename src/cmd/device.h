/* src/cmd/device.h - option --as: print a setting as a script for NICs or switches. */
#ifndef CMD_DEVICE_H
#define CMD_DEVICE_H

#include "core/knobs.h"

enum device { DEVICE_NONE, DEVICE_MLX5, DEVICE_SONIC };

/* "mlx5" or "sonic"; other words end the program with an error. */
enum device device_of(const char *word);

/* Prints the script after a comment 'about'. DEVICE_NONE: prints nothing. */
void device_print(enum device, const struct knobs *, const char *about);

#endif
