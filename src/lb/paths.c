/* src/lb/paths.c - balancers of senders that spray: the entropy value of each packet selects a path, because
 * switches hash it. entropy.c has the algorithms; the knob 'paths' sets the number of values.
 */
#include "lb/entropy.h"
#include "lb/lb.h"

#define SPRAYED(name_, kind_, about_) \
    extern const struct lb_algo lb_##name_; \
    const struct lb_algo lb_##name_ = { .name = #name_, .about = about_, .entropy = kind_ + 1 };

SPRAYED(oblivious, ENTROPY_OBLIVIOUS, "senders walk through all paths, packet by packet: knob paths")
SPRAYED(bitmap, ENTROPY_BITMAP,
        "the same, but paths with marks, trimmed packets or time-outs are skipped for a while")
SPRAYED(reps, ENTROPY_REPS, "senders use the last eight good paths again, else random ones")
SPRAYED(reps_legacy, ENTROPY_REPS_LEGACY,
        "senders try all paths, then use the good ones again, else random ones")
SPRAYED(mixed, ENTROPY_MIXED, "senders use good paths again, once each, else as bitmap")
