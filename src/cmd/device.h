/* src/cmd/device.h - --as: a setting as a script for NICs or switches. */
#ifndef CMD_DEVICE_H
#define CMD_DEVICE_H

#include "core/knobs.h"

enum device { DEVICE_NONE, DEVICE_MLX5, DEVICE_SONIC };

/* "mlx5", "sonic"; what is neither ends the program. */
enum device device_of(const char *word);

/* Prints the script, with 'about' in front; of DEVICE_NONE nothing. */
void device_print(enum device, const struct knobs *, const char *about);

#endif
