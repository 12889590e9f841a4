/* src/live/view/timeline.h - the last hour of a fabric: measurements and settings. */
#ifndef LIVE_VIEW_TIMELINE_H
#define LIVE_VIEW_TIMELINE_H

#include "base/json.h"
#include "live/controller/roster.h"

#define TIMELINE_POINTS 3600
#define TIMELINE_SHOWN  900      /* in /api/state */
#define TIMELINE_KNOBS  100
#define TIMELINE_EVIDENCE 64

enum timeline_series {
    TIMELINE_COVERAGE, TIMELINE_METRIC, TIMELINE_PAUSED, TIMELINE_UTILISATION, TIMELINE_CNPS,
    TIMELINE_TRIED,              /* 1 while something is tried */
    TIMELINE_WITH, TIMELINE_WITHOUT,     /* metric of the trial group and of the control group */
    TIMELINE_SERIES
};

extern const char *const timeline_series[TIMELINE_SERIES];       /* names */

struct timeline_point {
    uint64_t wall_ms, trial;     /* trial 0: none is under way */
    double   value[TIMELINE_SERIES];     /* NAN: not measured */
};

struct timeline_knobs {          /* from then on */
    uint64_t        wall_ms;
    struct knob_set confirmed;   /* what the first device of each kind that may be set holds as confirmed */
    uint64_t        trial;       /* 0: none is under way */
    uint32_t        phase, stage;
    struct knob_set tried;
};

/* Evidence over pairs of blocks, of the stage of a trial that has pairs or had some last. */
struct timeline_evidence {
    uint64_t trial;              /* 0: there was none */
    uint32_t stage;
    uint32_t count;              /* of points */
    uint32_t step;               /* pairs between two points: doubles whenever there is no room */
    uint32_t pairs[TIMELINE_EVIDENCE];
    double   gain[TIMELINE_EVIDENCE], harm[TIMELINE_EVIDENCE];
};

struct timeline {
    struct timeline_point point[TIMELINE_POINTS];        /* rings */
    struct timeline_knobs knobs[TIMELINE_KNOBS];
    struct timeline_evidence evidence;
    uint64_t              points, changes;
    uint64_t              next_us;
    uint64_t              ahead_ms;      /* the time of day is ahead of our clock by so much */
};

/* To be called after every tick. Uses the last reports; adds a point once per second. */
bool timeline_tick(struct timeline *, const struct controller *, uint64_t now_us, uint64_t wall_us);

/* {"t_ms":[...],"coverage":[...],...}: the last 'max' points as columns. */
json_t *timeline_json(const struct timeline *, uint32_t max);
json_t *timeline_knobs_json(const struct timeline *);

/* {"trial":5,"stage":"halves","pairs":[...],"gain":[...],"harm":[...],"accept_e":100,"reject_e":20,
 * "ends_at":67}: e-values after these numbers of pairs, the limits that decide, and the pairs after which the
 * stage ends anyway. null: nothing was measured yet. */
json_t *timeline_evidence_json(const struct timeline *, const struct controller *);

#endif
