/* src/base/print/spark.h - sparklines: a series of numbers as one line of block characters. */
#ifndef BASE_PRINT_SPARK_H
#define BASE_PRINT_SPARK_H

#include <stdbool.h>
#include <stdint.h>

#define SPARK_COLUMNS 60                         /* the widest line */
#define SPARK_BYTES   (3 * SPARK_COLUMNS + 1)    /* a block is three bytes of UTF-8 */

/* True if the environment (LC_ALL, LC_CTYPE, LANG) selects UTF-8. */
bool spark_is_utf8(void);

/* Draws one character per value, at most SPARK_COLUMNS, in eight heights from the smallest to the largest
 * value: U+2581 .. U+2588, or without UTF-8 "_.-:=+*#". NAN is a blank. If all values are equal, the line is
 * low for 0 and otherwise of medium height. Returns buf. */
char *spark_draw(char buf[SPARK_BYTES], const double *values, uint32_t count, bool is_utf8);

/* The smallest and largest value except NAN; returns false if there are none. */
bool spark_range(const double *values, uint32_t count, double *low, double *high);

#endif
