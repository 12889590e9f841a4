#include "live/wire/seen_codec.h"

#include <math.h>

/* of anything in an interval: more is nonsense, and sums of less do not overflow */
#define BYTES_MAX (1ull << 50)

/* Fields that have the same name and meaning in our structs and in the .proto, for both directions. */
#define COPY(field) to->field = from->field;
#define JOB_FIELDS(X) X(bytes) X(messages) X(firsts) X(pairs) X(local) X(pauses) X(pause_ps)
#define SEEN_FIELDS(X) \
    X(local_bytes) X(chance_bytes) X(chance_squares) X(chain_tiny) X(chain_ps) X(bursts) X(burst_messages) \
    X(burst_bytes)

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
        JOB_FIELDS(COPY)
        l->job_at[l->seen.n_job] = to;
    }
    l->seen.job = l->job_at;
}

Anole__V1__Seen *seen_codec_list(struct seen_list *l, const struct seen_part *from)
{
    Anole__V1__Seen *to = &l->seen;

    anole__v1__seen__init(to);
    SEEN_FIELDS(COPY)
    for (uint32_t i = 0; i < from->rows; i++) {
        l->bin[i] = from->row[i].bin - (i ? from->row[i - 1].bin : 0);
        l->messages[i] = from->row[i].messages;
        l->excess[i] = seen_row_excess(&from->row[i]);
    }
    to->bin = l->bin;
    to->messages = l->messages;
    to->excess = l->excess;
    to->n_bin = to->n_messages = to->n_excess = from->rows;
    to->done = l->done;
    to->n_done = list_classes(l->done, from->done);
    to->waiting = l->waiting;
    to->n_waiting = list_classes(l->waiting, from->waiting);
    list_jobs(l, from);
    return to;
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
        const Anole__V1__SeenJob *from = s->job[i];
        struct seen_part_job     *to = &p->job[i];

        if (!from->bytes || from->bytes > BYTES_MAX || !from->messages ||
            from->messages > BYTES_MAX / from->bytes)
            return false;
        for (size_t k = 0; k < i; k++)
            if (s->job[k]->bytes == from->bytes)
                return false;
        JOB_FIELDS(COPY)
    }
    return true;
}

static bool is_amount(double value)
{
    return isfinite(value) && value >= 0;
}

bool seen_codec_take(struct seen_part *to, const Anole__V1__Seen *from)
{
    seen_part_clear(to);
    SEEN_FIELDS(COPY)
    to->chance_bytes = fabs(from->chance_bytes);         /* -0 becomes 0 */
    to->chance_squares = fabs(from->chance_squares);
    return is_amount(from->chance_bytes) && is_amount(from->chance_squares) &&
           from->local_bytes <= BYTES_MAX && from->burst_bytes <= BYTES_MAX &&
           from->burst_messages <= BYTES_MAX && from->bursts <= from->burst_messages && take_rows(to, from) &&
           take_jobs(to, from) && take_classes(to->done, from->done, from->n_done) &&
           take_classes(to->waiting, from->waiting, from->n_waiting);
}
