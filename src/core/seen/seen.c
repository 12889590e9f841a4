#include "core/seen/seen.h"
#include "base/err.h"
#include "base/minmax.h"
#include "core/units.h"

#include <stdbool.h>
#include <stdlib.h>
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
    uint32_t log2 = 63 - (uint32_t)__builtin_clzll(bytes | 1);

    if (log2 < FIRST_LOG2)
        return 0;
    uint32_t bin = 4 * (log2 - FIRST_LOG2);
    if (bin >= SEEN_BINS)
        return SEEN_BINS - 1;
    while (bin + 1 < SEEN_BINS && seen_bin_min(bin + 1) <= bytes)
        bin++;
    return bin;
}

/* Merges a job by size. Without room, replaces the job with the fewest bytes if that has fewer. */
static void merge_job(struct seen *to, const struct seen_job *from)
{
    struct seen_job *place = &to->job[0];

    for (int k = 0; k < SEEN_JOBS; k++) {
        if (to->job[k].bytes == from->bytes || !to->job[k].bytes) {
            place = &to->job[k];
            break;
        }
        if (to->job[k].bytes * to->job[k].messages < place->bytes * place->messages)
            place = &to->job[k];
    }
    if (place->bytes && place->bytes != from->bytes) {
        if (place->bytes * place->messages >= from->bytes * from->messages)
            return;
        *place = (struct seen_job){ 0 };
    }
    place->bytes = from->bytes;
    place->messages += from->messages;
    place->firsts += from->firsts;
    place->senders = max_u32(place->senders, from->senders);
    place->pairs = max_u32(place->pairs, from->pairs);
    place->local += from->local;
    place->pause_s += from->pause_s;
    place->pauses += from->pauses;
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
    for (int i = 0; i < SEEN_JOBS && from->job[i].bytes; i++)
        merge_job(to, &from->job[i]);
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

void seen_part_clear(struct seen_part *p)
{
    memset(p, 0, offsetof(struct seen_part, row));
}

void seen_part_copy(struct seen_part *to, const struct seen_part *from)
{
    memcpy(to, from, offsetof(struct seen_part, row));
    memcpy(to->row, from->row, from->rows * sizeof(*from->row));
}

/* ---- sum of one host's intervals ---- */

/* Merges rows; both lists are in order. */
static void add_rows(struct seen_part *to, const struct seen_part *from)
{
    struct seen_row all[SEEN_ROWS];
    uint32_t        i = 0, k = 0, count = 0;

    while (i < to->rows || k < from->rows) {
        struct seen_row *r = &all[count++];

        if (k == from->rows || (i < to->rows && to->row[i].bin < from->row[k].bin))
            *r = to->row[i++];
        else if (i == to->rows || from->row[k].bin < to->row[i].bin)
            *r = from->row[k++];
        else {
            *r = to->row[i++];
            r->messages += from->row[k].messages;
            r->bytes += from->row[k++].bytes;
        }
    }
    to->rows = count;
    memcpy(to->row, all, count * sizeof(*all));
}

/* Ignores a job for which there is no room: a host reports at most four sizes. */
static void add_part_job(struct seen_part *to, const struct seen_part_job *from)
{
    for (int i = 0; i < SEEN_JOBS; i++) {
        struct seen_part_job *j = &to->job[i];

        if (j->bytes && j->bytes != from->bytes)
            continue;
        j->bytes = from->bytes;
        j->messages += from->messages;
        j->firsts += from->firsts;
        j->pairs = j->pairs > from->pairs ? j->pairs : from->pairs;
        j->local += from->local;
        j->pauses += from->pauses;
        j->pause_ps += from->pause_ps;
        return;
    }
}

void seen_part_add(struct seen_part *to, const struct seen_part *from)
{
    add_rows(to, from);
    to->local_bytes += from->local_bytes;
    to->chance_bytes += from->chance_bytes;
    to->chance_squares += from->chance_squares;
    to->chain_tiny += from->chain_tiny;
    to->chain_ps += from->chain_ps;
    to->bursts += from->bursts;
    to->burst_messages += from->burst_messages;
    to->burst_bytes += from->burst_bytes;
    for (int i = 0; i < SEEN_JOBS && from->job[i].bytes; i++)
        add_part_job(to, &from->job[i]);
    for (int i = 0; i < PREDICT_CLASSES; i++) {
        to->done[i].messages += from->done[i].messages;
        to->done[i].steps += from->done[i].steps;
    }
    memcpy(to->waiting, from->waiting, sizeof(to->waiting));
}

/* ---- encoded size ---- */

static size_t varint(uint64_t value)
{
    size_t bytes = 1;

    while (value >>= 7)
        bytes++;
    return bytes;
}

/* A field with a number below 16; zeros are not sent. */
static size_t field(uint64_t value)
{
    return value ? 1 + varint(value) : 0;
}

static size_t list(size_t bytes)
{
    return bytes ? 1 + varint(bytes) + bytes : 0;
}

uint64_t seen_row_excess(const struct seen_row *r)
{
    return r->bytes - r->messages * seen_bin_min(r->bin % SEEN_BINS);
}

static size_t class_bytes(const struct seen_part_class c[PREDICT_CLASSES])
{
    size_t bytes = 0;
    bool   is_any = false;

    for (int i = 0; i < PREDICT_CLASSES; i++) {
        bytes += varint(c[i].messages) + varint(c[i].steps);
        is_any |= c[i].messages || c[i].steps;
    }
    return is_any ? list(bytes) : 0;
}

static size_t job_bytes(const struct seen_part_job *j)
{
    size_t bytes = field(j->bytes) + field(j->messages) + field(j->firsts) + field(j->pairs) +
                   field(j->local) + field(j->pauses) + field(j->pause_ps);

    return 1 + varint(bytes) + bytes;
}

size_t seen_part_bytes(const struct seen_part *p)
{
    size_t bins = 0, messages = 0, excess = 0, bytes;

    for (uint32_t i = 0; i < p->rows; i++) {
        bins += varint(p->row[i].bin - (i ? p->row[i - 1].bin : 0));
        messages += varint(p->row[i].messages);
        excess += varint(seen_row_excess(&p->row[i]));
    }
    bytes = list(bins) + list(messages) + list(excess) + field(p->local_bytes) + (p->chance_bytes != 0 ? 9
            : 0) +
            (p->chance_squares != 0 ? 9 : 0) + field(p->chain_tiny) + field(p->chain_ps) + field(p->bursts) +
            field(p->burst_messages) + field(p->burst_bytes) + class_bytes(p->done) + class_bytes(p->waiting);
    for (int i = 0; i < SEEN_JOBS && p->job[i].bytes; i++)
        bytes += job_bytes(&p->job[i]);
    return bytes;
}

void seen_part_fit(struct seen_part *p)
{
    _Static_assert(SEEN_BINS % 16 == 0, "bins can be taken together");

    for (uint32_t width = 2; width <= 16 && seen_part_bytes(p) > SEEN_PART_BYTES; width *= 2) {
        /* SEEN_BINS is a multiple of 'width', so chains are not merged with other bins. */
        uint32_t count = 0;

        for (uint32_t i = 0; i < p->rows; i++) {
            struct seen_row r = p->row[i];

            r.bin -= r.bin % width;
            if (count && p->row[count - 1].bin == r.bin) {
                p->row[count - 1].messages += r.messages;
                p->row[count - 1].bytes += r.bytes;
            } else
                p->row[count++] = r;
        }
        p->rows = count;
    }
}

/* ---- sum of all hosts ---- */

static uint64_t sum_rows(struct seen *to, const struct seen_part *p)
{
    uint64_t chained = 0;

    for (uint32_t i = 0; i < p->rows; i++) {
        const struct seen_row *r = &p->row[i];
        bool                   is_chain = r->bin >= SEEN_BINS;
        uint32_t               bin = r->bin % SEEN_BINS;

        *(is_chain ? &to->chain_bin[bin] : &to->bin[bin]) += r->messages;
        *(is_chain ? &to->chain_bytes[bin] : &to->bin_bytes[bin]) += r->bytes;
        to->posted += r->messages;
        to->posted_bytes += r->bytes;
        chained += is_chain ? r->bytes : 0;
    }
    return chained;
}

/* pause_s is in picoseconds until the sum is complete. */
static void sum_jobs(struct seen *to, const struct seen_part *p)
{
    for (int i = 0; i < SEEN_JOBS && p->job[i].bytes; i++) {
        const struct seen_part_job *from = &p->job[i];

        merge_job(to, &(struct seen_job){ .bytes = from->bytes, .messages = from->messages,
                                          .firsts = from->firsts, .local = from->local,
                                          .pause_s = (double)from->pause_ps, .pauses = from->pauses });
        for (int k = 0; k < SEEN_JOBS; k++)
            if (to->job[k].bytes == from->bytes) {       /* merge_job() takes maxima; hosts are added */
                to->job[k].senders++;
                to->job[k].pairs += from->pairs;
            }
        to->posted += from->messages;
        to->posted_bytes += from->messages * from->bytes;
    }
}

static void sum_rest(struct seen *to, const struct seen_part *p, uint64_t *chain_ps)
{
    size_t told = seen_part_bytes(p);

    to->local_bytes += p->local_bytes;
    to->chance_bytes += p->chance_bytes;
    to->chance_squares += p->chance_squares;
    to->chain_tiny += p->chain_tiny;
    *chain_ps += p->chain_ps;
    to->bursts += p->bursts;
    to->burst_messages += p->burst_messages;
    to->burst_bytes += p->burst_bytes;
    to->posted += p->burst_messages;
    to->posted_bytes += p->burst_bytes;
    to->told_bytes = told > to->told_bytes ? (uint32_t)told : to->told_bytes;
    for (int i = 0; i < PREDICT_CLASSES; i++) {
        to->done[i].messages += (double)p->done[i].messages;
        to->done[i].slowdowns += (double)p->done[i].steps / SEEN_STEPS;
        to->waiting[i].messages += (double)p->waiting[i].messages;
        to->waiting[i].slowdowns += (double)p->waiting[i].steps / SEEN_STEPS;
    }
}

/* Counts hosts that post more in chains than the mean of those that do. */
static void count_hubs(struct seen *to, const uint64_t *chained, uint32_t count)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < count; i++) {
        to->chain_senders += chained[i] > 0;
        bytes += chained[i];
    }
    for (uint32_t i = 0; i < count; i++)
        if (chained[i] * to->chain_senders > bytes) {
            to->chain_hubs++;
            to->chain_hub_bytes += chained[i];
        }
}

static int by_bytes(const void *a, const void *b)
{
    const struct seen_job *x = a, *y = b;

    if (!x->bytes || !y->bytes)
        return !x->bytes - !y->bytes;
    return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

void seen_sum(struct seen *to, const struct seen_part *const *part, uint32_t count)
{
    uint64_t *chained = xcalloc(count + 1ul, sizeof(*chained)), chain_ps = 0;

    *to = (struct seen){ 0 };
    for (uint32_t i = 0; i < count; i++) {
        if (!part[i])
            continue;
        chained[i] = sum_rows(to, part[i]);
        sum_jobs(to, part[i]);
        sum_rest(to, part[i], &chain_ps);
    }
    to->chain_s = (double)chain_ps / (double)PS_PER_S;
    for (int i = 0; i < SEEN_JOBS; i++)
        to->job[i].pause_s /= (double)PS_PER_S;
    qsort(to->job, SEEN_JOBS, sizeof(*to->job), by_bytes);
    count_hubs(to, chained, count);
    free(chained);
}
