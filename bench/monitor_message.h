/* bench/monitor_message.h - the messages of PARALEON's monitor, for bench_sketch and repro/paraleon-table4.
 *
 * Little-endian. Per interval a switch sends MESSAGE_SWITCH_BYTES, a NIC MESSAGE_NIC_BYTES, and the controller at
 * most 16 + 4 * MESSAGE_KNOBS_MAX (interval, a bit per knob, single-precision values). PARALEON's messages have 520,
 * 12 and 76 bytes (its table IV).
 */
#ifndef BENCH_MONITOR_MESSAGE_H
#define BENCH_MONITOR_MESSAGE_H

#include "core/fsd.h"
#include "core/units.h"

#include <stdint.h>

#define MESSAGE_SWITCH_BYTES 160
#define MESSAGE_NIC_BYTES    12
#define MESSAGE_KNOBS_MAX    15              /* knobs in one message: as many as PARALEON tunes at a NIC */

_Static_assert(MESSAGE_SWITCH_BYTES <= 520 && MESSAGE_NIC_BYTES <= 12 && 16 + 4 * MESSAGE_KNOBS_MAX <= 76,
               "no longer than PARALEON's");
_Static_assert(MESSAGE_SWITCH_BYTES == 32 + 4 * FSD_BINS, "all fields of struct message_switch");

struct message_switch {
    uint32_t   interval;         /* sequence number */
    uint32_t   pauses;           /* PAUSE frames received */
    uint64_t   paused_ps;        /* sum over its ports */
    struct fsd fsd;              /* bins are cut to 32 bits */
};

struct message_nic {
    uint64_t tx_bytes;           /* sent in units of 64 bytes, up to 274 GB */
    double   rtt_ratio;          /* unloaded over measured round trip, 0 .. 1; negative: no samples */
    uint64_t paused_ps;          /* sent in nanoseconds, up to 4 s */
};

static uint8_t *message_put(uint8_t *at, uint64_t value, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> 8 * i);
    return at + bytes;
}

static uint64_t message_get(const uint8_t **at, uint32_t bytes)
{
    uint64_t value = 0;

    for (uint32_t i = 0; i < bytes; i++)
        value |= (uint64_t)(*at)[i] << 8 * i;
    *at += bytes;
    return value;
}

static uint64_t message_cut(uint64_t value)
{
    return value < UINT32_MAX ? value : UINT32_MAX;
}

static void message_encode_switch(const struct message_switch *m, uint8_t *at)
{
    at = message_put(at, m->interval, 4);
    at = message_put(at, m->pauses, 4);
    at = message_put(at, m->paused_ps, 8);
    at = message_put(at, m->fsd.elephants, 8);
    at = message_put(at, m->fsd.mice, 8);
    for (uint32_t i = 0; i < FSD_BINS; i++)
        at = message_put(at, message_cut(m->fsd.bin[i]), 4);
}

static void message_decode_switch(const uint8_t *at, struct message_switch *m)
{
    m->interval = (uint32_t)message_get(&at, 4);
    m->pauses = (uint32_t)message_get(&at, 4);
    m->paused_ps = message_get(&at, 8);
    m->fsd.elephants = message_get(&at, 8);
    m->fsd.mice = message_get(&at, 8);
    for (uint32_t i = 0; i < FSD_BINS; i++)
        m->fsd.bin[i] = message_get(&at, 4);
}

/* The ratio as a fraction of UINT32_MAX; 0: no samples. */
static uint64_t message_ratio(double ratio)
{
    double word = ratio < 1 ? ratio * UINT32_MAX : UINT32_MAX;

    if (ratio < 0)
        return 0;
    return word > 1 ? (uint64_t)word : 1;
}

static void message_encode_nic(const struct message_nic *m, uint8_t *at)
{
    at = message_put(at, message_cut((m->tx_bytes + 32) / 64), 4);
    at = message_put(at, message_ratio(m->rtt_ratio), 4);
    message_put(at, message_cut((m->paused_ps + PS_PER_NS / 2) / PS_PER_NS), 4);
}

static void message_decode_nic(const uint8_t *at, struct message_nic *m)
{
    uint64_t ratio;

    m->tx_bytes = message_get(&at, 4) * 64;
    ratio = message_get(&at, 4);
    m->rtt_ratio = ratio ? (double)ratio / UINT32_MAX : -1;
    m->paused_ps = message_get(&at, 4) * PS_PER_NS;
}

#endif
