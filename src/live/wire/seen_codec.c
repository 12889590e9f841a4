#include "live/wire/seen_codec.h"

#include <math.h>

/* of anything in an interval: more is nonsense, and sums of less do not overflow */
#define BYTES_MAX (1ull << 50)

/* ---- writing ---- */

/* Returns how many numbers are sent: none if all are 0. */
static size_t list_classes(uint64_t out[2 * PREDICT_CLASSES],
                           const struct seen_part_class in[PREDICT_CLASSES])
{
    size_t count = 0;

    for (size_t i = 0; i < PREDICT_CLASSES; i++) {
        out[2 * i] = in[i].messages;
        out[2 * i + 1] = in[i].steps;
        count = in[i].messages || in[i].steps ? 2ul * PREDICT_CLASSES : count;
    }
    return count;
}

static void list_jobs(struct seen_list *l, const struct seen_part *p)
{
    for (l->seen.n_job = 0; l->seen.n_job < SEEN_JOBS && p->job[l->seen.n_job].bytes; l->seen.n_job++) {
        const struct seen_part_job *from = &p->job[l->seen.n_job];
        Anole__V1__SeenJob         *to = &l->job[l->seen.n_job];

        anole__v1__seen_job__init(to);
        to->bytes = from->bytes;
        to->messages = from->messages;
        to->firsts = from->firsts;
        to->pairs = from->pairs;
        to->local = from->local;
        to->pauses = from->pauses;
        to->pause_ps = from->pause_ps;
        l->job_at[l->seen.n_job] = to;
    }
    l->seen.job = l->job_at;
}

Anole__V1__Seen *seen_codec_list(struct seen_list *l, const struct seen_part *p)
{
    Anole__V1__Seen *s = &l->seen;

    anole__v1__seen__init(s);
    for (uint32_t i = 0; i < p->rows; i++) {
        l->bin[i] = p->row[i].bin - (i ? p->row[i - 1].bin : 0);
        l->messages[i] = p->row[i].messages;
        l->excess[i] = seen_row_excess(&p->row[i]);
    }
    s->bin = l->bin;
    s->messages = l->messages;
    s->excess = l->excess;
    s->n_bin = s->n_messages = s->n_excess = p->rows;
    s->local_bytes = p->local_bytes;
    s->chance_bytes = p->chance_bytes;
    s->chance_squares = p->chance_squares;
    s->chain_tiny = p->chain_tiny;
    s->chain_ps = p->chain_ps;
    s->bursts = p->bursts;
    s->burst_messages = p->burst_messages;
    s->burst_bytes = p->burst_bytes;
    s->done = l->done;
    s->n_done = list_classes(l->done, p->done);
    s->waiting = l->waiting;
    s->n_waiting = list_classes(l->waiting, p->waiting);
    list_jobs(l, p);
    return s;
}

/* ---- reading ---- */

static bool take_rows(struct seen_part *p, const Anole__V1__Seen *s)
{
    uint32_t bin = 0;
    uint64_t least;              /* bytes of a message */

    if (s->n_bin > (size_t)(SEEN_ROWS) || s->n_messages != s->n_bin || s->n_excess != s->n_bin)
        return false;
    for (size_t i = 0; i < s->n_bin; i++) {
        if (s->bin[i] >= SEEN_ROWS - bin || (i && !s->bin[i]) || !s->messages[i] || s->excess[i] > BYTES_MAX)
            return false;
        bin += s->bin[i];
        least = seen_bin_min(bin % SEEN_BINS);
        if (least && s->messages[i] > (BYTES_MAX - s->excess[i]) / least)
            return false;
        p->row[i] = (struct seen_row){ bin, s->messages[i], s->excess[i] + s->messages[i] * least };
    }
    p->rows = (uint32_t)s->n_bin;
    return true;
}

static bool take_classes(struct seen_part_class out[PREDICT_CLASSES], const uint64_t *in, size_t count)
{
    if (count && count != 2ul * PREDICT_CLASSES)
        return false;
    for (size_t i = 0; i < PREDICT_CLASSES; i++) {
        out[i] = count ? (struct seen_part_class){ in[2 * i], in[2 * i + 1] } :
                 (struct seen_part_class){ 0, 0 };
        if (out[i].messages > BYTES_MAX || out[i].steps > BYTES_MAX)
            return false;
    }
    return true;
}

/* Sizes differ: each is a job of its own. */
static bool take_jobs(struct seen_part *p, const Anole__V1__Seen *s)
{
    if (s->n_job > SEEN_JOBS)
        return false;
    for (size_t i = 0; i < s->n_job; i++) {
        const Anole__V1__SeenJob *j = s->job[i];

        if (!j->bytes || j->bytes > BYTES_MAX || !j->messages || j->messages > BYTES_MAX / j->bytes)
            return false;
        for (size_t k = 0; k < i; k++)
            if (s->job[k]->bytes == j->bytes)
                return false;
        p->job[i] = (struct seen_part_job){ j->bytes, j->messages, j->firsts, j->pairs, j->local, j->pauses,
                                            j->pause_ps };
    }
    return true;
}

static bool is_amount(double value)
{
    return isfinite(value) && value >= 0;
}

bool seen_codec_take(struct seen_part *p, const Anole__V1__Seen *s)
{
    seen_part_clear(p);
    p->local_bytes = s->local_bytes;
    p->chance_bytes = fabs(s->chance_bytes);             /* there is but one 0 */
    p->chance_squares = fabs(s->chance_squares);
    p->chain_tiny = s->chain_tiny;
    p->chain_ps = s->chain_ps;
    p->bursts = s->bursts;
    p->burst_messages = s->burst_messages;
    p->burst_bytes = s->burst_bytes;
    return is_amount(s->chance_bytes) && is_amount(s->chance_squares) && s->local_bytes <= BYTES_MAX &&
           s->burst_bytes <= BYTES_MAX && s->burst_messages <= BYTES_MAX && s->bursts <= s->burst_messages &&
           take_rows(p, s) && take_jobs(p, s) && take_classes(p->done, s->done, s->n_done) &&
           take_classes(p->waiting, s->waiting, s->n_waiting);
}
