/* src/twin/advise.h - a setting for a network and its traffic, with evidence, without touching either.
 *
 * A search on trials of the scenario (tune/rehearse), then what was found and every preset meet on
 * messages that the search has not seen: at the load that is expected, and at half and one and a half times of it, or at both ends
 * of the range that is given or was recorded.
 */
#ifndef TWIN_ADVISE_H
#define TWIN_ADVISE_H

#include "run/scenario_file.h"
#include "tune/rehearse/search/rehearse.h"
#include "twin/described.h"
#include "twin/recorded.h"
#include "twin/trial.h"

#include <stdbool.h>
#include <stdio.h>

#define ADVISE_SETTINGS 16
#define ADVISE_SEEDS    5
#define ADVISE_LOADS    3

struct advise_request {
    const char        *path;                 /* of a scenario; NULL: the network is described */
    struct described   described;            /* its load: where there is no range, and nothing was recorded */
    double             load_low, load_high;  /* the range of it; 0: there is none */
    const char        *messages, *counters;  /* files of what was recorded; NULL: there is none */
    const char *const *set;
    uint32_t           sets;
    const struct goal *goal;
    uint64_t           seed;
    uint64_t           budget;               /* of the search, packet-hops */
    uint32_t           jobs;
    bool               is_quiet;
};

struct advise_row {              /* a setting, and what it did on fresh messages */
    const char      *name;       /* "yours", "advised", or of a setting */
    struct knobs     knobs;
    struct predicted found[ADVISE_LOADS][ADVISE_SEEDS];
    bool             has[ADVISE_LOADS];
};

struct advice {
    const struct advise_request *request;
    const char          *name;       /* of the scenario */
    struct scenario_file file;
    struct recorded      messages, counters;
    struct described     described;
    struct build         build;      /* of a network that is described */
    double               load[ADVISE_LOADS];         /* times that which is expected: 1 first */
    bool                 has_range;  /* the others are the ends of a range */
    struct twin          twin;
    struct world         world;
    struct rehearsal     rehearsal;
    struct advise_row    row[ADVISE_SETTINGS];       /* 0: the scenario's own; the last: advised */
    uint32_t             rows;
    uint32_t             best_known;                 /* a row; 0: yours is the best */
    bool                 has_load;                   /* some traffic has one, so that it can be off */
    bool                 is_told;                    /* there was a preliminary answer */
    double               told;                       /* the gain of the last; 0: keep yours */
    double               took_s;
};

/* To be closed in any case. */
int  advise_run(struct advice *, const struct advise_request *, struct err *);
void advise_close(struct advice *);

static inline const struct advise_row *advised(const struct advice *a)
{
    return &a->row[a->rows - 1];
}

/* log(J / J of the other), a mean over seeds, with its 95 % interval. */
struct advise_gain { double mean, low, high; };
struct advise_gain advise_gain(const struct advice *, const struct advise_row *, const struct advise_row *than,
                               uint32_t load);

/* Mean slowdown of a part over seeds; NAN: there were no such messages. */
double advise_slowdown(const struct advise_row *, uint32_t load, enum goal_part);

/* ---- advise_print.c ---- */

/* "half the load"; with a range "at a load of 20 %". For any but the first. */
const char *advise_load_text(const struct advice *, uint32_t load, char *buf, size_t size);

/* What was recorded, in a sentence for each file; nothing if there is none. */
void advise_print_recorded(const struct advice *, FILE *);

void advise_print(const struct advice *, FILE *);

/* One or two sentences: what it is worth. */
void advise_print_verdict(const struct advice *, FILE *);

/* ---- advise_page.c ---- */

/* All of it as a page for a browser, without scripts. */
void advise_page(const struct advice *, FILE *);

#endif
