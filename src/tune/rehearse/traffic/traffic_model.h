/* src/tune/rehearse/traffic/traffic_model.h - a model of the traffic from hosts' reports, from which similar
 * messages can be generated.
 *
 * It distinguishes four kinds of traffic: messages at random times, bursts to one receiver, collectives
 * (messages of one size that depend on each other), and closed loops (dependent messages of many sizes). The
 * kind matters most for the choice of a setting, then the load.
 */
#ifndef TUNE_REHEARSE_TRAFFIC_TRAFFIC_MODEL_H
#define TUNE_REHEARSE_TRAFFIC_TRAFFIC_MODEL_H

#include "core/predict.h"
#include "core/seen/seen.h"

/* Makes a model of what hosts saw in some seconds. False: nothing was posted. */
bool model_make(struct traffic_model *, const struct seen *, double seconds, uint32_t hosts);

/* How far the bytes that come at random are off by chance, as a share: large messages are few. */
double model_noise(const struct seen *);

/* Messages that depend on others, more than by chance, as a fraction of the bytes outside of jobs and bursts.
 * From MODEL_LOOP on they count as closed loops, however much of the traffic belongs to a job. */
#define MODEL_LOOP 0.3
double model_chained(const struct seen *);

/* How far two are apart: 0 the same, 1 as much as makes another setting worth looking for. Loads by their
 * logarithm, sizes by the share of bytes of each class, kinds of traffic by theirs. */
double model_distance(const struct traffic_model *, const struct traffic_model *);

/* Bits per second and host, of all kinds. */
double model_bps(const struct traffic_model *);

/* Fraction of bits in collectives and closed loops, whose senders wait for other messages. */
double model_following(const struct traffic_model *);

/* "18.2 Gb/s per host: 40 % at random, 60 % in collectives of 1.5 MB". Returns buf. */
char *model_text(const struct traffic_model *, char *buf, size_t size);

/* ---- earlier results by traffic, and settings that were no better ---- */

#define MEMORIES 8

/* is_bad: what the twin found was no better */
struct memory { struct traffic_model model; struct knobs knobs; bool is_bad; };

struct memories {
    struct memory memory[MEMORIES];
    uint32_t      made;          /* ever */
};

/* Returns the result for the most similar traffic; NULL: none is similar. */
const struct memory *memory_recall(const struct memories *, const struct traffic_model *);

/* Replaces the entry for such traffic, or the oldest one. */
void memory_add(struct memories *, const struct traffic_model *, const struct knobs *, bool is_bad);

/* Settings that were not bad, at most MEMORIES; returns how many. */
uint32_t memory_good(const struct memories *, struct knobs *out);

#endif
