/* src/formats/goal_text.h - GOAL as text: for goal.c alone. */
#ifndef FORMATS_GOAL_TEXT_H
#define FORMATS_GOAL_TEXT_H

#include "net/trace.h"

#define CALC_NS_MAX 1000000000000000ull      /* 1,000,000 s */
#define SIZE_MAX_B  (1ull << 48)

struct goal_source {
    const char *name;
    const char *data;            /* all of it, */
    uint64_t    size;            /* so many bytes; */
    bool        is_spilled;      /* or it is not in memory, and neither are operations: see trace_spill() */
    int         file;
};

/* The trace is one that trace_init() has made; it is sealed. On failure it can be freed. */
int goal_text_read(const struct goal_source *, struct trace *, struct err *);

#endif
