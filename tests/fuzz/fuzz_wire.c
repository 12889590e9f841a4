/* tests/fuzz/fuzz_wire.c - whatever comes over the wire, a message that is taken keeps its promises and comes back as it was. */
#include "live/core/knobset.h"
#include "live/wire/codec.h"
#include "live/wire/codec_report.h"
#include "live/wire/rack_codec.h"

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

static void check_again(const struct msg *m)
{
    static unsigned char     bytes[CODEC_BYTES_MAX];
    static struct msg_detail detail;
    struct msg               again;

    PROMISE(codec_read_detail(&again, &detail, bytes, codec_write(m, bytes)) == 0);
    PROMISE(!again.sample.detail == !m->sample.detail || !m->sample.detail->fsd.elephants);
    if (again.sample.detail)
        PROMISE(detail.ports == m->sample.detail->ports && detail.pairs == m->sample.detail->pairs &&
                detail.fsd.mice == m->sample.detail->fsd.mice);
    if (m->sample.detail && m->sample.detail->has_seen) {
        const struct seen_part *p = &m->sample.detail->seen;

        PROMISE(again.sample.detail && detail.has_seen && detail.seen.rows == p->rows && p->rows <= SEEN_ROWS);
        PROMISE(memcmp(&detail.seen, p, offsetof(struct seen_part, row) + p->rows * sizeof *p->row) == 0);
        for (uint32_t i = 0; i < p->rows; i++)
            PROMISE(p->row[i].bin < SEEN_ROWS && p->row[i].messages && (!i || p->row[i - 1].bin < p->row[i].bin));
    }
    PROMISE(again.kind == m->kind && again.term == m->term && again.stamp_us == m->stamp_us);
    PROMISE(knobset_is_same(&again.set, &m->set));
}

/* The short cut for reports takes what the long way takes, as that does; it may leave more to it. */
static void check_short_cut(const uint8_t *data, size_t size)
{
    static struct msg_detail detail[2];
    static struct msg        m[2];

    memset(detail, 0, sizeof detail);
    memset(m, 0, sizeof m);
    if (size > CODEC_BYTES_MAX || !codec_report_read(&m[0], &detail[0], data, size))
        return;
    PROMISE(codec_read_any(&m[1], &detail[1], data, size) == 0);
    PROMISE(!m[0].sample.detail == !m[1].sample.detail);
    if (m[0].sample.detail)
        PROMISE(memcmp(&detail[0].fsd, &detail[1].fsd, sizeof detail[0].fsd) == 0 && !detail[1].ports && !detail[1].pairs && !detail[1].has_seen);
    m[0].sample.detail = m[1].sample.detail = NULL;
    PROMISE(isnan(m[0].sample.metric) == isnan(m[1].sample.metric));
    if (isnan(m[0].sample.metric))
        m[0].sample.metric = m[1].sample.metric = 0;
    PROMISE(m[0].kind == m[1].kind && m[0].term == m[1].term && m[0].incarnation == m[1].incarnation && m[0].change == m[1].change);
    PROMISE(m[0].stamp_us == m[1].stamp_us && m[0].at_us == m[1].at_us && m[0].phase == m[1].phase);
    PROMISE(m[0].is_frozen == m[1].is_frozen && m[0].is_broken == m[1].is_broken && !*m[1].why && !m[1].self.is_there);
    PROMISE(knobset_is_empty(&m[1].set) && m[0].sample.is_brief == m[1].sample.is_brief && !m[1].is_brief);
    PROMISE(m[0].sample.interval_us == m[1].sample.interval_us && m[0].sample.tx_bytes == m[1].sample.tx_bytes &&
            m[0].sample.rate_bps == m[1].sample.rate_bps && m[0].sample.cnps == m[1].sample.cnps &&
            m[0].sample.marked_packets == m[1].sample.marked_packets && m[0].sample.retransmissions == m[1].sample.retransmissions &&
            m[0].sample.lossless_drops == m[1].sample.lossless_drops && m[0].sample.watchdog == m[1].sample.watchdog &&
            m[0].sample.paused == m[1].sample.paused && m[0].sample.metric == m[1].sample.metric);
}

/* A field that nobody knows changes nothing, but who reads it: protobuf-c instead of rack_plain.h. */
static void check_unknown(struct rack *a, struct rack *b, const uint8_t *data, size_t size)
{
    uint8_t *more = malloc(size + 3);
    int      rc = rack_codec_read(a, data, size);

    if (size)
        memcpy(more, data, size);
    memcpy(more + size, "\xf0\x01\x01", 3);
    PROMISE((rack_codec_read(b, more, size + 3) == 0) == (rc == 0) || rc);       /* it may also end what was cut off */
    PROMISE(rc || (a->rows == b->rows && a->items == b->items && a->gones == b->gones && a->life == b->life && a->term == b->term));
    for (uint32_t i = 0; !rc && i < a->rows; i++)
        PROMISE(a->row[i].slot == b->row[i].slot && a->row[i].stamp_us == b->row[i].stamp_us && a->row[i].sample.cnps == b->row[i].sample.cnps &&
                a->row[i].sample.paused == b->row[i].sample.paused && isnan(a->row[i].sample.metric) == isnan(b->row[i].sample.metric));
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
        PROMISE(r->rows <= RACK_DEVICES_MAX && r->gones <= RACK_DEVICES_MAX && r->tolds <= RACK_DEVICES_MAX);
        for (uint32_t i = 0; i < r->rows; i++)
            PROMISE(r->row[i].sample.paused >= 0 && r->row[i].sample.paused <= 1 && !r->row[i].sample.detail);
        length = rack_codec_write(&r[0], &bytes);
        PROMISE(rack_codec_is(bytes, length) && rack_codec_read(&r[1], bytes, length) == 0);
        PROMISE(r[1].rows == r->rows && r[1].items == r->items && r[1].life == r->life && r[1].number == r->number && r[1].tolds == r->tolds);
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
    struct msg               m = { .kind = MSG_NONE };
    struct question          q;

    check_short_cut(data, size);
    if (codec_read_detail(&m, &detail, data, size) == 0) {
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
