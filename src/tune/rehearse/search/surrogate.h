/* src/tune/rehearse/search/surrogate.h - predicts the value of a setting without a trial: a small net that
 * was fitted to twins of many random networks and traffics (anole train twin). It ships with the program.
 *
 * It knows less than a twin of this network, but answers at once. So it proposes starting points for a
 * search, and a setting for the time before the first search. It predicts ratios to NVIDIA's default on the
 * same messages, for all messages and for those of each class. The net has several heads, each fitted to a
 * different three quarters of the networks: the more they disagree, the less a setting counts.
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

#define SURROGATE_ABOUT  20      /* inputs that describe network and traffic */
#define SURROGATE_HEADS  4
#define SURROGATE_DIMS   16      /* axes of settings; of by_speed it knows nothing */
#define SURROGATE_INPUTS (SURROGATE_ABOUT + SURROGATE_DIMS)
#define SURROGATE_OUTPUTS (SURROGATE_HEADS * GOAL_PARTS)
#define SURROGATE_KIND   "twin"

struct surrogate {
    struct net net;
    double     error;            /* of predictions for its own proposals on new networks: standard
                                  * deviation of logarithms */
};

void surrogate_shape(struct net_shape *);

/* A file, or "shipped": the one that comes with the program. To be given back. */
int  surrogate_open(struct surrogate *, const char *name, struct err *);
void surrogate_close(struct surrogate *);

/* A query. */
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

/* Settings in the order of their predictions, best first: its own optimum, then earlier results and presets.
 * Returns how many. */
#define SURROGATE_PROPOSALS 32
struct surrogate_proposal { struct knobs knobs; const char *name; struct surrogate_word word; };
uint32_t surrogate_propose(const struct surrogate_ask *, uint64_t seed,
                           struct surrogate_proposal out[SURROGATE_PROPOSALS]);

/* Made by tools/embed-model; of a model that is not there, the bytes are 0. */
extern const unsigned char twin_model[];
extern const unsigned long twin_model_bytes;

#endif
