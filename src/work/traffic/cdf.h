/* src/work/traffic/cdf.h - flow-size distributions: lines of "bytes probability", probabilities rising to
 * 1. */
#ifndef WORK_TRAFFIC_CDF_H
#define WORK_TRAFFIC_CDF_H

#include "base/err.h"

#include <stdint.h>

struct cdf {
    uint32_t count;
    double  *bytes, *p;          /* if p[0] > 0, that fraction of flows has size bytes[0] */
    double   bytes_mean;         /* of the linear interpolation */
};

/* Reads the table in the file 'path', or in 'text' if it is not NULL. '#' starts a comment; blank lines
 * are skipped. On error, reports "file:line: reason" and leaves the cdf unchanged. Errors are: fewer than
 * two rows, decreasing sizes or probabilities, negative or infinite numbers, sizes above 2^48 bytes or all
 * below one byte, and a last probability other than 1. */
int  cdf_read(struct cdf *, const char *path, const char *text, struct err *);
void cdf_fini(struct cdf *);

/* Multiplies all sizes. */
void cdf_scale(struct cdf *, double factor);

/* Loads a built-in table by name ("FB_Hadoop", "WebSearch", ...). cdf_names is NULL-terminated. */
extern const char *const cdf_names[];
int cdf_builtin(struct cdf *, const char *name);     /* -ENOENT if unknown */

/* The values of cdf_names[], in the same order. Generated from data/cdf/ by tools/embed-cdf. */
struct cdf_table { const double *rows; uint32_t count; };    /* rows: bytes, p, bytes, p, ... */
extern const struct cdf_table cdf_tables[];

/* Returns the size at cumulative probability u in [0, 1): linear between rows, whole bytes, at least 1. */
uint64_t cdf_size(const struct cdf *, double u);

#endif
