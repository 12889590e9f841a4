#include "core/seen/seen.h"
#include "base/minmax.h"

#include <string.h>

#define FIRST_LOG2 6             /* the first bin also has smaller sizes */

/* 2^(k/4), in thousandths. */
static const uint64_t quarter[4] = { 1000, 1189, 1414, 1682 };

uint64_t seen_bin_min(uint32_t bin)
{
    return bin == 0 ? 0 : ((1ull << (FIRST_LOG2 + bin / 4)) * quarter[bin % 4] + 999) / 1000;
}

uint32_t seen_bin(uint64_t bytes)
{
    uint32_t log2 = 63 - (uint32_t)__builtin_clzll(bytes | 1), bin;

    if (log2 < FIRST_LOG2)
        return 0;
    bin = 4 * (log2 - FIRST_LOG2);
    if (bin >= SEEN_BINS)
        return SEEN_BINS - 1;
    while (bin + 1 < SEEN_BINS && seen_bin_min(bin + 1) <= bytes)
        bin++;
    return bin;
}

static void add_job(struct seen_job *to, const struct seen_job *from)
{
    to->bytes = from->bytes;
    to->messages += from->messages;
    to->firsts += from->firsts;
    to->senders = max_u32(to->senders, from->senders);
    to->pairs = max_u32(to->pairs, from->pairs);
    to->local += from->local;
    to->pause_s += from->pause_s;
    to->pauses += from->pauses;
}

/* Merges jobs by size. If there is no room, replaces the job with the fewest bytes, if it has fewer than the
 * new one. */
void seen_add_jobs(struct seen *to, const struct seen *from)
{
    for (int i = 0; i < SEEN_JOBS && from->job[i].bytes; i++) {
        struct seen_job *place = &to->job[0];

        for (int k = 0; k < SEEN_JOBS; k++) {
            if (to->job[k].bytes == from->job[i].bytes || !to->job[k].bytes) {
                place = &to->job[k];
                break;
            }
            if (to->job[k].bytes * to->job[k].messages < place->bytes * place->messages)
                place = &to->job[k];
        }
        if (place->bytes && place->bytes != from->job[i].bytes) {
            if (place->bytes * place->messages >= from->job[i].bytes * from->job[i].messages)
                continue;
            *place = (struct seen_job){ 0 };
        }
        add_job(place, &from->job[i]);
    }
}

void seen_add(struct seen *to, const struct seen *from)
{
    to->posted += from->posted;
    to->posted_bytes += from->posted_bytes;
    to->local_bytes += from->local_bytes;
    to->chain_s += from->chain_s;
    to->chance_bytes += from->chance_bytes;
    to->chance_squares += from->chance_squares;
    to->chain_tiny += from->chain_tiny;
    to->chain_hub_bytes += from->chain_hub_bytes;
    to->chain_hubs = max_u32(to->chain_hubs, from->chain_hubs);
    to->chain_senders = max_u32(to->chain_senders, from->chain_senders);
    to->told_bytes = max_u32(to->told_bytes, from->told_bytes);
    to->bursts += from->bursts;
    to->burst_messages += from->burst_messages;
    to->burst_bytes += from->burst_bytes;
    for (int i = 0; i < SEEN_BINS; i++) {
        to->bin[i] += from->bin[i];
        to->bin_bytes[i] += from->bin_bytes[i];
        to->chain_bin[i] += from->chain_bin[i];
        to->chain_bytes[i] += from->chain_bytes[i];
    }
    seen_add_jobs(to, from);
    for (int i = 0; i < PREDICT_CLASSES; i++) {
        to->done[i].messages += from->done[i].messages;
        to->done[i].slowdowns += from->done[i].slowdowns;
    }
    memcpy(to->waiting, from->waiting, sizeof(to->waiting));
}

struct outcomes seen_outcomes(const struct seen *s)
{
    struct outcomes p = { 0 };

    for (int i = 0; i < PREDICT_CLASSES; i++) {
        p.messages[i] = s->done[i].messages + s->waiting[i].messages;
        p.slowdowns[i] = s->done[i].slowdowns + s->waiting[i].slowdowns;
        p.unfinished += (uint64_t)s->waiting[i].messages;
    }
    return p;
}
