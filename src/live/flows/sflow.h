/* src/live/flows/sflow.h - sFlow version 5: packets that a switch has sampled, one datagram at a time.
 *
 * Each sampled packet represents as many as the sampling rate says. Samples and records of unknown kinds are
 * skipped by their length. A malformed datagram is read up to the error.
 */
#ifndef LIVE_FLOWS_SFLOW_H
#define LIVE_FLOWS_SFLOW_H

#include "live/flows/flow_record.h"

/* of a datagram; flows: delivered records */
struct sflow_facts { uint32_t sequence, samples, flows; };

/* Calls 'hook' for each packet. -EBADMSG: not such a datagram, or truncated; packets before the error were
 * delivered. */
int sflow_read(const uint8_t *, size_t length, record_hook *hook, void *arg, struct sflow_facts *);

#endif
