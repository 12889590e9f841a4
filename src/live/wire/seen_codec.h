/* src/live/wire/seen_codec.h - message statistics of a host (core/seen/seen.h) on the wire. */
#ifndef LIVE_WIRE_SEEN_CODEC_H
#define LIVE_WIRE_SEEN_CODEC_H

#include "core/seen/seen.h"

#include <anole.pb-c.h>
#include <stdbool.h>

/* Room for what protobuf-c wants as lists. */
struct seen_list {
    Anole__V1__Seen    seen;
    Anole__V1__SeenJob job[SEEN_JOBS], *job_at[SEEN_JOBS];
    uint32_t           bin[SEEN_ROWS], messages[SEEN_ROWS];
    uint64_t           excess[SEEN_ROWS], done[2 * PREDICT_CLASSES], waiting[2 * PREDICT_CLASSES];
};

/* Points into the list and good as long as it is. */
Anole__V1__Seen *seen_codec_list(struct seen_list *, const struct seen_part *);

/* False: it cannot be so. */
bool seen_codec_take(struct seen_part *, const Anole__V1__Seen *);

#endif
