/* tests/fuzz/fuzz_wire.c - for any bytes, an accepted message is valid and survives encoding and decoding. */
#include "live/core/knobset.h"
#include "live/wire/codec.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROMISE(holds) ((holds) ? (void)0 : (fprintf(stderr, "line %d: %s\n", __LINE__, #holds), abort()))

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_text(const char *text, size_t size)
{
    PROMISE(strnlen(text, size) < size);
    for (; *text; text++)
        PROMISE((unsigned char)*text >= ' ' && *text != 127);
}

static void check_learn(const struct msg_learn *l)
{
    PROMISE(l->rows <= MSG_LEARN_ROWS_MAX && l->floats <= MSG_LEARN_FLOATS_MAX &&
            (!l->rows || l->floats % l->rows == 0));
    for (uint32_t i = 0; i < l->floats; i++)
        PROMISE(isfinite(l->value[i]));
}

static void check_again(const struct msg *m)
{
    static unsigned char     bytes[CODEC_BYTES_MAX];
    static struct msg_detail detail;
    static struct msg_learn  learn;
    struct msg               again;

    PROMISE(codec_read_all(&again, &detail, &learn, bytes, codec_write(m, bytes)) == 0);
    PROMISE(!again.learn == !m->learn);
    if (m->learn)
        PROMISE(learn.rows == m->learn->rows && learn.floats == m->learn->floats &&
                learn.version == m->learn->version && learn.seed == m->learn->seed &&
                memcmp(learn.slot, m->learn->slot, learn.rows * sizeof *learn.slot) == 0 &&
                memcmp(learn.value, m->learn->value, learn.floats * sizeof *learn.value) == 0);
    PROMISE(!again.sample.detail == !m->sample.detail || !m->sample.detail->fsd.elephants);
    if (again.sample.detail)
        PROMISE(detail.ports == m->sample.detail->ports && detail.pairs == m->sample.detail->pairs &&
                detail.fsd.mice == m->sample.detail->fsd.mice);
    if (m->sample.detail && m->sample.detail->has_seen) {
        const struct seen_part *p = &m->sample.detail->seen;

        PROMISE(again.sample.detail && detail.has_seen && detail.seen.rows == p->rows &&
                p->rows <= SEEN_ROWS);
        PROMISE(memcmp(&detail.seen, p, offsetof(struct seen_part, row) + p->rows * sizeof *p->row) == 0);
        for (uint32_t i = 0; i < p->rows; i++)
            PROMISE(p->row[i].bin < SEEN_ROWS && p->row[i].messages &&
                    (!i || p->row[i - 1].bin < p->row[i].bin));
    }
    PROMISE(again.kind == m->kind && again.term == m->term && again.stamp_us == m->stamp_us);
    PROMISE(knobset_is_same(&again.set, &m->set));
}

/* Whether both are equal or unknown. */
static bool is_same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* An unknown field has no effect. */
static void check_unknown(struct rack *a, struct rack *b, const uint8_t *data, size_t size)
{
    uint8_t *more = malloc(size + 3);
    int      rc = rack_codec_read(a, data, size);

    if (size)
        memcpy(more, data, size);
    memcpy(more + size, "\xf0\x01\x01", 3);
    /* It may also complete a truncated field. */
    PROMISE((rack_codec_read(b, more, size + 3) == 0) == (rc == 0) || rc);
    PROMISE(rc || (a->rows == b->rows && a->items == b->items && a->gones == b->gones && a->life == b->life &&
                   a->term == b->term));
    for (uint32_t i = 0; !rc && i < a->rows; i++)
        PROMISE(a->row[i].slot == b->row[i].slot && a->row[i].stamp_us == b->row[i].stamp_us &&
                a->row[i].sample.cnps == b->row[i].sample.cnps &&
                is_same(a->row[i].sample.paused, b->row[i].sample.paused) &&
                isnan(a->row[i].sample.metric) == isnan(b->row[i].sample.metric));
    free(more);
}

static void check_rack(const uint8_t *data, size_t size)
{
    struct rack   *r = malloc(2 * sizeof *r);
    unsigned char *bytes;
    size_t         length;

    rack_init(&r[0], 0);
    rack_init(&r[1], 0);
    if (rack_codec_read(&r[0], data, size) == 0) {
        PROMISE(r->rows <= RACK_DEVICES_MAX && r->gones <= RACK_DEVICES_MAX &&
                r->messages_count <= RACK_DEVICES_MAX);
        for (uint32_t i = 0; i < r->rows; i++) {
            double paused = r->row[i].sample.paused;     /* NAN: unknown */

            PROMISE((isnan(paused) || (paused >= 0 && paused <= 1)) && !r->row[i].sample.detail);
        }
        length = rack_codec_write(&r[0], &bytes);
        PROMISE(rack_codec_is(bytes, length) && rack_codec_read(&r[1], bytes, length) == 0);
        PROMISE(r[1].rows == r->rows && r[1].items == r->items && r[1].life == r->life &&
                r[1].number == r->number && r[1].messages_count == r->messages_count);
        free(bytes);
    }
    check_unknown(&r[0], &r[1], data, size);
    rack_fini(&r[0]);
    rack_fini(&r[1]);
    free(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct msg_detail detail;
    static struct msg_learn  learn;
    struct msg               m = { .kind = MSG_NONE };
    struct question          q;

    if (codec_read_all(&m, &detail, &learn, data, size) == 0) {
        if (m.learn)
            check_learn(m.learn);
        PROMISE(!m.sample.detail || (detail.ports <= MSG_PORTS_MAX && detail.pairs <= MSG_PAIRS_MAX));
        PROMISE(m.kind > MSG_NONE && m.kind < MSG_KINDS && m.answer < ANSWER_KINDS && m.phase < PHASE_KINDS);
        PROMISE(isnan(m.sample.metric) || (m.sample.metric >= 0 && m.sample.metric <= 1));
        for (int i = 0; i < KNOB_COUNT; i++)
            PROMISE(isfinite(m.set.knobs.value[i]));
        check_text(m.name, sizeof m.name);
        check_text(m.why, sizeof m.why);
        check_again(&m);
    } else
        PROMISE(m.kind == MSG_NONE);
    check_rack(data, size);
    if (codec_read_question(&q, data, size) == 0)
        check_text(q.verb, sizeof q.verb);
    return 0;
}
