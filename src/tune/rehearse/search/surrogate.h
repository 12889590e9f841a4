/* src/tune/rehearse/search/surrogate.h - a guess what a setting is worth, without a trial: a small net that
 * was fitted to a campaign of twins over many random networks and traffics (anole train twin). It ships with
 * the program.
 *
 * It knows less than a twin of this network, and answers at once: so it proposes where a search is to begin,
 * and a setting for the time until the first search can be made. What it says is of ratios to NVIDIA's
 * default on the same messages, for all messages and for those of each class. The net has several heads, each
 * fitted to another three quarters of the networks: where they disagree, nobody knows, and a setting counts
 * for less.
 */
#ifndef TUNE_REHEARSE_SEARCH_SURROGATE_H
#define TUNE_REHEARSE_SEARCH_SURROGATE_H

#include "base/err.h"
#include "core/world.h"
#include "learn/net.h"
#include "tune/rehearse/search/coded.h"
#include "tune/rehearse/search/tune_goal.h"

#include <stdbool.h>
#include <stddef.h>

#define SURROGATE_ABOUT  20      /* numbers that tell of network and traffic */
#define SURROGATE_HEADS  4
#define SURROGATE_DIMS   16      /* axes of settings; of by_speed it knows nothing */
#define SURROGATE_INPUTS (SURROGATE_ABOUT + SURROGATE_DIMS)
#define SURROGATE_OUTPUTS (SURROGATE_HEADS * GOAL_PARTS)
#define SURROGATE_KIND   "twin"

struct surrogate {
    struct net net;
    double     error;            /* of what it said of its proposals for networks that it had not met:
                                  * standard deviation of logarithms */
};

void surrogate_shape(struct net_shape *);

/* A file, or "shipped": the one that comes with the program. To be given back. */
int  surrogate_open(struct surrogate *, const char *name, struct err *);
void surrogate_close(struct surrogate *);

/* What is asked. */
struct surrogate_ask {
    const struct surrogate *surrogate;
    const struct world     *world;
    const struct goal      *goal;
    struct knobs            base;            /* against which a setting is held */
    struct coded            coded;
    float                   about[SURROGATE_ABOUT];
    bool                    has[GOAL_PARTS]; /* there are such messages */
    int                     head;            /* that is believed; -1: all, and their doubts */
    double                  base_part[SURROGATE_HEADS][GOAL_PARTS];
};

/* False: it knows nothing of such traffic (collectives, closed loops) or of another control than DCQCN. */
bool surrogate_begin(struct surrogate_ask *, const struct surrogate *, const struct world *,
                     const struct traffic_model *, const struct goal *, const struct knobs *base);

/* The inputs of the net for a point of the cube. */
void surrogate_input(const struct surrogate_ask *, const double *unit, float *input);

/* How much better a setting is taken to be: a log ratio, below 0 is better. 'score' counts harm and doubt,
 * too. */
struct surrogate_word { double gain, score; };
struct surrogate_word surrogate_say(const struct surrogate_ask *, const double *unit);

/* The setting that it likes best of all, searched for from another one on. */
void surrogate_climb(const struct surrogate_ask *, uint64_t seed, const struct knobs *from, struct knobs *to);

/* Settings in the order of what it says of them, the best first: the one that it likes best of all, then
 * others that were found or have a name. Returns how many. */
#define SURROGATE_PROPOSALS 32
struct surrogate_proposal { struct knobs knobs; const char *name; struct surrogate_word word; };
uint32_t surrogate_propose(const struct surrogate_ask *, uint64_t seed,
                           struct surrogate_proposal out[SURROGATE_PROPOSALS]);

/* Made by tools/embed-model; of a model that is not there, the bytes are 0. */
extern const unsigned char twin_model[];
extern const unsigned long twin_model_bytes;

#endif
