/* peers/measured.h - figures that were measured on a network, for anole calibrate.
 *
 * Reads
 * - the output of perftest's bandwidth tests as printed (`#bytes #iterations BW peak[..] BW average[..]`):
 *   goodput_bps by the size of messages, traffic.0.size;
 * - the output of nccl-tests as printed: busbw_bps, out of place, by the size of the collective,
 *   traffic.0.size;
 * - CSV with a head: columns `figure` (a name of `anole list figure`), `measured`, optionally `part` (`fit`
 *   or `check`), and a column for each scenario key that differs between rows.
 */
#ifndef PEERS_MEASURED_H
#define PEERS_MEASURED_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct measured_row {
    char  **set;                 /* KEY=VALUE */
    uint32_t sets;
    char   *figure;
    double  value;               /* in the unit of the figure */
    double  collective_bytes;    /* nccl-tests: the size that they print; 0: another kind */
    bool    is_fitted;           /* otherwise predicted; by default every second row */
    uint32_t line;
};

struct measured { struct measured_row *row; uint32_t rows; const char *kind; };     /* kind: "perftest", .. */

/* On failure there is nothing to free. */
int  measured_read(struct measured *, const char *path, struct err *);
int  measured_read_stream(struct measured *, FILE *, const char *name, struct err *);
void measured_fini(struct measured *);

#endif
