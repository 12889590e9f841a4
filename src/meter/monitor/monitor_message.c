/* src/meter/monitor/monitor_message.c - see monitor_message.h. */
#include "meter/monitor/monitor_message.h"
#include "core/units.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

static uint8_t *put(uint8_t *at, uint64_t value, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> 8 * i);
    return at + bytes;
}

static uint64_t get(const uint8_t **at, uint32_t bytes)
{
    uint64_t value = 0;

    for (uint32_t i = 0; i < bytes; i++)
        value |= (uint64_t)(*at)[i] << 8 * i;
    *at += bytes;
    return value;
}

static uint64_t in_32_bits(uint64_t value)
{
    return value < UINT32_MAX ? value : UINT32_MAX;
}

void message_encode_switch(const struct message_switch *m, uint8_t bytes[MESSAGE_SWITCH_BYTES])
{
    uint8_t *at = bytes;

    at = put(at, m->interval, 4);
    at = put(at, m->pauses, 4);
    at = put(at, m->paused_ps, 8);
    at = put(at, m->fsd.elephants, 8);
    at = put(at, m->fsd.mice, 8);
    for (uint32_t i = 0; i < FSD_BINS; i++)
        at = put(at, in_32_bits(m->fsd.bin[i]), 4);
    assert(at == bytes + MESSAGE_SWITCH_BYTES);
}

void message_decode_switch(const uint8_t bytes[MESSAGE_SWITCH_BYTES], struct message_switch *m)
{
    const uint8_t *at = bytes;

    m->interval = (uint32_t)get(&at, 4);
    m->pauses = (uint32_t)get(&at, 4);
    m->paused_ps = get(&at, 8);
    m->fsd.elephants = get(&at, 8);
    m->fsd.mice = get(&at, 8);
    for (uint32_t i = 0; i < FSD_BINS; i++)
        m->fsd.bin[i] = get(&at, 4);
}

/* 0: no samples; UINT32_MAX: 1. */
static uint64_t ratio_to_word(double ratio)
{
    double word = ratio < 1 ? ratio * UINT32_MAX : UINT32_MAX;

    if (ratio < 0)
        return 0;
    return word > 1 ? (uint64_t)word : 1;
}

void message_encode_nic(const struct message_nic *m, uint8_t bytes[MESSAGE_NIC_BYTES])
{
    uint8_t *at = bytes;

    at = put(at, in_32_bits((m->tx_bytes + 32) / 64), 4);
    at = put(at, ratio_to_word(m->rtt_ratio), 4);
    put(at, in_32_bits((m->paused_ps + PS_PER_NS / 2) / PS_PER_NS), 4);
}

void message_decode_nic(const uint8_t bytes[MESSAGE_NIC_BYTES], struct message_nic *m)
{
    const uint8_t *at = bytes;
    uint64_t ratio;

    m->tx_bytes = get(&at, 4) * 64;
    ratio = get(&at, 4);
    m->rtt_ratio = ratio ? (double)ratio / UINT32_MAX : -1;
    m->paused_ps = get(&at, 4) * PS_PER_NS;
}

size_t message_encode_knobs(const struct knob_set *set, uint32_t interval, uint8_t bytes[MESSAGE_KNOBS_BYTES])
{
    uint8_t *names = put(bytes, interval, 4), *at = names + MESSAGE_NAMES_BYTES;

    memset(names, 0, MESSAGE_NAMES_BYTES);
    for (uint32_t i = 0; i < KNOB_COUNT; i++) {
        float value = (float)set->knobs.value[i];
        uint32_t bits;

        if (!set->is_named[i])
            continue;
        assert(at < bytes + MESSAGE_KNOBS_BYTES);
        memcpy(&bits, &value, sizeof(bits));
        names[i / 8] |= (uint8_t)(1u << i % 8);
        at = put(at, bits, 4);
    }
    return (size_t)(at - bytes);
}

static double get_float(const uint8_t **at)
{
    uint32_t bits = (uint32_t)get(at, 4);
    float value;

    memcpy(&value, &bits, sizeof(value));
    return (double)value;
}

static bool is_named(const uint8_t names[MESSAGE_NAMES_BYTES], uint32_t knob)
{
    return names[knob / 8] >> knob % 8 & 1;
}

/* How many are named; those that there are not make it too many for any message. */
static size_t count_names(const uint8_t names[MESSAGE_NAMES_BYTES])
{
    size_t count = 0;

    for (uint32_t i = 0; i < 8 * MESSAGE_NAMES_BYTES; i++)
        count += is_named(names, i) ? i < KNOB_COUNT ? 1 : MESSAGE_KNOBS_MAX + 1 : 0;
    return count;
}

int message_decode_knobs(const uint8_t *bytes, size_t length, struct knobs *k, uint32_t *interval)
{
    const uint8_t *names = bytes + 4, *at = names + MESSAGE_NAMES_BYTES;
    struct knobs told = *k;

    if (length < 4 + MESSAGE_NAMES_BYTES || length > MESSAGE_KNOBS_BYTES ||
        length != 4 + MESSAGE_NAMES_BYTES + 4 * count_names(names))
        return -EINVAL;
    for (uint32_t i = 0; i < KNOB_COUNT; i++) {
        if (!is_named(names, i))
            continue;
        told.value[i] = get_float(&at);
        if (!(told.value[i] >= knob_info[i].min && told.value[i] <= knob_info[i].max))
            return -EINVAL;
    }
    *k = told;
    *interval = (uint32_t)get(&bytes, 4);
    return 0;
}
