/* tests/digest.h - the digest of a run: FNV-1a over every flow's result, in order of completion, and over the
 * counters. Numbers are hashed byte by byte from the lowest, so that every processor gets the same.
 */
#ifndef TESTS_DIGEST_H
#define TESTS_DIGEST_H

#include "core/result.h"
#include "sim/sim.h"

#include <stdint.h>

#define DIGEST_EMPTY 0xcbf29ce484222325ull

static inline uint64_t digest_add(uint64_t digest, uint64_t number)
{
    for (int i = 0; i < 8; i++)
        digest = (digest ^ (number >> 8 * i & 0xff)) * 0x100000001b3ull;
    return digest;
}

static inline uint64_t digest_add_flow(uint64_t d, const struct flow_result *r)
{
    const uint64_t field[] = { r->src,   r->dst,      r->sport,  r->dport,    r->prio,        r->traffic,
                               r->bytes, r->start_ps, r->fct_ps, r->ideal_ps, r->resent_bytes };

    for (uint32_t i = 0; i < sizeof field / sizeof *field; i++)
        d = digest_add(d, field[i]);
    return d;
}

/* Adds all counters except the number of events, which may fall when the simulator gets faster, and PFC
 * frames sent, which also counts frames in flight at the end. */
static inline uint64_t digest_add_counters(uint64_t d, const struct sim_counters *c)
{
    const uint64_t field[] = { c->flows_started, c->flows_done,       c->bytes_started,   c->bytes_done,
                               c->data_sent,     c->data_received,    c->payload_sent,    c->payload_received,
                               c->payload_dropped, c->payload_stale,  c->acks_sent,       c->nacks_sent,
                               c->cnps_sent,     c->cnps_received,    c->timeouts,        c->pauses,
                               c->resumes,       c->dropped_buffer,   c->dropped_wire,    c->dropped_down,
                               c->dropped_no_route };

    for (uint32_t i = 0; i < sizeof field / sizeof *field; i++)
        d = digest_add(d, field[i]);
    return d;
}

#endif
