/* src/tune/rehearse/traffic/traffic_model.h - what the traffic is, from what hosts saw: enough to make the
 * same kind of messages again.
 *
 * Four kinds of traffic are told apart: messages that come at random, bursts to one receiver, collectives
 * (messages of one size that follow from each other), and closed loops (messages of many sizes that do). What
 * decides most about settings is which of these it is; the next is the load.
 */
#ifndef TUNE_REHEARSE_TRAFFIC_TRAFFIC_MODEL_H
#define TUNE_REHEARSE_TRAFFIC_TRAFFIC_MODEL_H

#include "core/seen/seen.h"

#include <stdbool.h>

/* What hosts saw in so many seconds. False: nothing was posted. */
bool model_make(struct traffic_model *, const struct seen *, double seconds, uint32_t hosts);

/* How far the bytes that come at random are off by chance, as a share: large messages are few. */
double model_noise(const struct seen *);

/* Messages that followed from others, surely more than would do so by chance, as a share of the bytes that
 * are of no job and no burst. From MODEL_LOOP on they are taken for closed loops, however much of the traffic
 * is a job beside them. */
#define MODEL_LOOP 0.3
double model_chained(const struct seen *);

/* How far two are apart: 0 the same, 1 as much as makes another setting worth looking for. Loads by their
 * logarithm, sizes by the share of bytes of each class, kinds of traffic by theirs. */
double model_distance(const struct traffic_model *, const struct traffic_model *);

/* Bytes of messages of a class among those that come at random, as a share. */
double model_byte_share(const struct traffic_model *, enum predict_class);

/* Bits per second and host, of all kinds. */
double model_bps(const struct traffic_model *);

/* Share of bits in collectives and closed loops: who posts them waits for others to end. */
double model_following(const struct traffic_model *);

/* The same with so many times the bits, in messages so many times as long: a model that is wrong, for
 * experiments. How many are outstanding in closed loops and how often jobs pause stays, as these follow from
 * neither. */
void model_bend(struct traffic_model *, double load, double sizes);

/* "18.2 Gb/s per host: 40 % at random, 60 % in collectives of 1.5 MB". Returns buf. */
char *model_text(const struct traffic_model *, char *buf, size_t size);

#endif
