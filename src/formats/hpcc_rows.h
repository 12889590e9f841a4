/* src/formats/hpcc_rows.h - common to the topology and the flow list of the HPCC ns-3 fork: a count, then
 * rows. */
#ifndef FORMATS_HPCC_ROWS_H
#define FORMATS_HPCC_ROWS_H

#include "base/tokens.h"
#include "formats/hpcc.h"

#include <ctype.h>
#include <stdint.h>

/* Accepts text after the last row. Further rows are ignored, as in the fork: returns HPCC_ODD. */
static inline int hpcc_leave_more_rows(struct tokens *w, uint32_t count, const char *rows)
{
    if (!tokens_next_line(w) || !isdigit((unsigned char)*w->at))
        return 0;
    tokens_err(w, EINVAL, "the first line announces %u %s; what is from here on is not read", count, rows);
    return HPCC_ODD;
}

static inline int hpcc_next_row(struct tokens *w, uint32_t index, uint32_t count, const char *rows)
{
    if (tokens_next_line(w))
        return 0;
    return tokens_err(w, EINVAL, "the file ends after %u of %u %s", index, count, rows);
}

#endif
