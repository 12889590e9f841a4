/* src/tune/rehearse/search/twin_search.h - a search for a setting on a twin of the network, and a race that
 * decides.
 *
 * Three stages (a racing CMA-ES):
 *
 *   screen   the presets and points spread evenly over the space, on short trials; the best of them again, on
 *            full-length ones
 *   search   CMA-ES around the best. All settings of a generation run the same messages, and every generation
 *            new ones: so differences come from settings, and no setting wins by fitting the messages
 *   race     the best of both stages and the baseline, block by block: new messages, and loads that are a
 *            fifth off. A setting that falls behind the leader by more than chance is eliminated. If trials
 *            are cheap, the best run longer ones
 *
 * If no known setting makes a difference in the screen, the search is skipped.
 *
 * Only the race determines the value of the winner. Its result in the search, as the best of hundreds, is too
 * optimistic.
 *
 * Everything follows from the seed and the budget, which is counted in packet-hops and not in seconds.
 */
#ifndef TUNE_REHEARSE_SEARCH_TWIN_SEARCH_H
#define TUNE_REHEARSE_SEARCH_TWIN_SEARCH_H

#include "core/world.h"
#include "tune/rehearse/search/race.h"

struct rehearse_note {           /* how far it is */
    const char *act;             /* "screen", "search", "race" */
    uint64_t    spent, budget;   /* packet-hops */
    uint32_t    trials;
};

struct rehearse_request {
    const struct predictor *predictor;
    const struct world     *world;
    const struct goal      *goal;
    struct knobs            base;            /* no class may be worse off than with this */
    const struct knobs     *now;             /* the current setting, always in the race; NULL: the base */
    const struct knobs     *more;            /* settings to try besides the presets */
    uint32_t                mores;
    const struct knobs     *not;             /* refuted by the network: not in the race */
    uint32_t                nots;
    double                  length;          /* of search trials, as a share of whole ones; 0: 1 */
    double                  race_length;     /* longest trial of the final; 0: there is no final */
    uint64_t                seed, budget;
    /* NULL: disabled */
    void                  (*tell)(void *arg, const struct rehearse_note *);
    void                   *arg;
};

#define REHEARSE_NAMED 16

/* gain: against the baseline, harm not counted */
struct rehearse_named { const char *name; double gain; };

struct rehearsal {
    struct race race;            /* the last stage, and its result */
    struct rehearse_named named[REHEARSE_NAMED];     /* presets, on the first messages of the screen */
    uint32_t    nameds;
    uint64_t    spent;           /* all acts together */
    uint32_t    trials, generations;
};

/* Settings that searches ended with on other networks and traffic, in terms of this one; returns how many,
 * none for another control than DCQCN. Tried besides the presets they save trials. */
#define REHEARSE_STARTS 7
uint32_t rehearse_starts(const struct world *, const struct knobs *base, struct knobs *out);

/* Fails only if the predictor does. */
int rehearse(struct rehearsal *, const struct rehearse_request *, struct err *);

#endif
