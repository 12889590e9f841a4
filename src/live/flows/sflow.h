/* src/live/flows/sflow.h - sFlow version 5: packets that a switch has sampled, a datagram at a time.
 *
 * Each sampled packet stands for as many as the sampling rate says. Samples of kinds that are not known, and
 * records in them, are passed over by their length; a datagram that does not fit together is taken as far as
 * it does.
 */
#ifndef LIVE_FLOWS_SFLOW_H
#define LIVE_FLOWS_SFLOW_H

#include "live/flows/flow_record.h"

/* of a datagram; flows: records that were told */
struct sflow_facts { uint32_t sequence, samples, flows; };

/* Tells 'hook' of each packet. -EBADMSG: it is not such a datagram, or ends too early; what came before was
 * told. */
int sflow_read(const uint8_t *, size_t length, record_hook *hook, void *arg, struct sflow_facts *);

#endif
