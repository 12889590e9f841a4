/* src/traffic/cdf.h - flow-size tables: "bytes probability" lines, probability growing from 0 to 1. */
#ifndef TRAFFIC_CDF_H
#define TRAFFIC_CDF_H

#include "base/err.h"

#include <stdint.h>

struct cdf {
    uint32_t count;
    double  *bytes, *p;          /* p[0] may be > 0: that share has the size bytes[0] */
    double   bytes_mean;         /* of the linear interpolation */
};

/* Reads a table: '#' starts a comment, blank lines are skipped. Refused with "file:line: reason":
 * fewer than two rows, sizes or probabilities that fall, negative or infinite numbers, sizes over
 * 2^48 bytes or all below one byte, a last probability other than 1. On failure the cdf is as it was. */
int  cdf_read(struct cdf *, const char *path, struct err *);
int  cdf_parse(struct cdf *, const char *name, const char *text, struct err *);
void cdf_fini(struct cdf *);

/* A built-in table by name ("FB_Hadoop", "WebSearch", ...); NULL-terminated list of names. */
extern const char *const cdf_names[];
int cdf_builtin(struct cdf *, const char *name);     /* -ENOENT if there is none */

/* The numbers behind cdf_names[], in the same order: made from data/cdf/ by tools/embed-cdf. */
struct cdf_table { const double *rows; uint32_t count; };    /* rows: bytes, p, bytes, p, ... */
extern const struct cdf_table cdf_tables[];

/* The size at cumulative probability u in [0, 1): linear between rows, whole bytes, at least 1. */
uint64_t cdf_size(const struct cdf *, double u);

#endif
