/* src/formats/goal_text.h - the text form of GOAL. For goal.c only. */
#ifndef FORMATS_GOAL_TEXT_H
#define FORMATS_GOAL_TEXT_H

#include "net/trace.h"

#define CALC_NS_MAX 1000000000000000ull      /* 1,000,000 s */
#define SIZE_MAX_B  (1ull << 48)

struct goal_source {
    const char *name;
    const char *data;            /* the whole text, or NULL */
    uint64_t    size;            /* in bytes */
    bool        is_spilled;      /* the text is not in memory, and operations go to a temporary file: see
                                  * trace_spill() */
    int         file;
};

/* Reads into an initialized trace (trace_init()) and seals it. On failure, the caller still frees it. */
int goal_text_read(const struct goal_source *, struct trace *, struct err *);

#endif
