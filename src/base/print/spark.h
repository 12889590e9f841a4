/* src/base/print/spark.h - a series of numbers as one line of blocks: the picture that fits a terminal. */
#ifndef BASE_PRINT_SPARK_H
#define BASE_PRINT_SPARK_H

#include <stdbool.h>
#include <stdint.h>

#define SPARK_COLUMNS 60                         /* the widest line */
#define SPARK_BYTES   (3 * SPARK_COLUMNS + 1)    /* a block is three bytes of UTF-8 */

/* Whether the environment (LC_ALL, LC_CTYPE, LANG) says that the terminal shows UTF-8. */
bool spark_is_utf8(void);

/* Draws one character a value, at most SPARK_COLUMNS, eight heights from the least to the largest of them:
 * U+2581 .. U+2588, or, not is_utf8, "_.-:=+*#". NAN is a blank. If all are the same, the line is low for 0 and of
 * middle height for anything else. Returns buf. */
char *spark_draw(char buf[SPARK_BYTES], const double *values, uint32_t count, bool is_utf8);

/* The least and the largest value that is not NAN; false: there is none. */
bool spark_range(const double *values, uint32_t count, double *low, double *high);

#endif
