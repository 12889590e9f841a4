/* src/study/report/setting_print.h - a setting as a file, and as scripts that set devices to it.
 *
 * 'about' is put in front as comments, line by line.
 */
#ifndef STUDY_REPORT_SETTING_PRINT_H
#define STUDY_REPORT_SETTING_PRINT_H

#include "core/knobs.h"

#include <stdbool.h>
#include <stdio.h>

/* YAML, what differs from the default: for tuner: {kind: fixed, setting: FILE} and for --from. */
void setting_print_yaml(const struct knobs *, const char *about, FILE *);

/* Returns whether two settings differ in what NICs of the mlx5 driver have, so that a script for them is
 * of use. */
bool setting_differs_in_mlx5(const struct knobs *, const struct knobs *);

/* A shell script that sets NICs of the mlx5 driver, or loads a WRED profile into a SONiC switch. */
void setting_print_mlx5(const struct knobs *, const char *about, FILE *);
void setting_print_sonic(const struct knobs *, const char *about, FILE *);

/* The same for option --as, on standard output. DEVICE_NONE: prints nothing. */
enum device { DEVICE_MLX5, DEVICE_SONIC, DEVICE_NONE };
extern const char *const device_names[];
void device_print(enum device, const struct knobs *, const char *about);

#endif
