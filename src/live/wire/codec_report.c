/* src/live/wire/codec_report.c - see codec_report.h. The numbers of fields are those of anole.proto. */
#include "live/wire/codec_report.h"

#include <math.h>
#include <string.h>

enum { VARINT = 0, BYTES = 2, FIXED32 = 5 };

/* What is left of a message. A field that cannot be read sets is_bad, and the rest is empty. */
struct reader { const unsigned char *at, *end; uint64_t seen; bool is_bad; };

static uint64_t bad(struct reader *r)
{
    r->is_bad = true;
    r->at = r->end;
    return 0;
}

/* At most nine bytes: what is longer has more than 63 bits, or is not written as short as it could be. */
static uint64_t varint(struct reader *r)
{
    uint64_t value = 0;

    for (int shift = 0; r->at < r->end && shift < 63; shift += 7) {
        unsigned char b = *r->at++;

        value |= (uint64_t)(b & 0x7f) << shift;
        if (b < 0x80)
            return value;
    }
    return bad(r);
}

static float real(struct reader *r)
{
    float value = 0;

    if (r->end - r->at < 4)
        bad(r);
    else {
        uint32_t bits = r->at[0] | (uint32_t)r->at[1] << 8 | (uint32_t)r->at[2] << 16 | (uint32_t)r->at[3] << 24;

        memcpy(&value, &bits, sizeof value);
        r->at += 4;
    }
    return value;
}

/* yes or no, in one way */
static bool flag(struct reader *r)
{
    uint64_t value = varint(r);

    return value <= 1 ? value : bad(r);
}

static struct reader part(struct reader *r)
{
    uint64_t      length = varint(r);
    struct reader inner = { .at = r->at };

    if (r->is_bad || length > (uint64_t)(r->end - r->at)) {
        bad(r);
        inner.at = r->end;
        length = 0;
    }
    inner.end = inner.at + length;
    if (!r->is_bad)
        r->at = inner.end;
    return inner;
}

/* The next field: its number and type; 0 in the end. Each may come once. */
static unsigned next(struct reader *r)
{
    uint64_t key, number;

    if (r->at == r->end)
        return 0;
    key = varint(r);
    number = key >> 3;
    if (r->is_bad || !number || number > 31 || r->seen >> number & 1)
        return (unsigned)bad(r);
    r->seen |= 1ull << number;
    return (unsigned)key;
}

static unsigned key_of(unsigned number, unsigned type)
{
    return number << 3 | type;
}

/* Returns how many there are. */
static size_t read_bins(struct reader r, struct msg_detail *d, bool *is_bad)
{
    size_t count = 0;

    while (r.at < r.end && !r.is_bad) {
        uint64_t value = varint(&r);

        if (count == FSD_BINS || value > UINT32_MAX)
            bad(&r);
        else
            d->fsd.bin[count++] = value;
    }
    *is_bad |= r.is_bad;
    return count;
}

static bool read_sample(struct reader r, struct msg_sample *s, struct msg_detail *d)
{
    bool     has_metric = false, has_flows = false;
    float    paused = 0, metric = 0;
    unsigned key;

    while ((key = next(&r)) != 0)
        switch (key) {
        case 1 << 3: s->interval_us = varint(&r); break;
        case 2 << 3: s->tx_bytes = varint(&r); break;
        case 3 << 3: s->rate_bps = varint(&r); break;
        case 4 << 3: s->cnps = varint(&r); break;
        case 5 << 3: s->marked_packets = varint(&r); break;
        case 6 << 3: s->retransmissions = varint(&r); break;
        case 7 << 3: s->lossless_drops = varint(&r); break;
        case 8 << 3: s->watchdog = varint(&r); break;
        case 9 << 3 | FIXED32: paused = real(&r); break;
        case 10 << 3 | FIXED32: metric = real(&r); break;
        case 11 << 3: has_metric = flag(&r); break;
        case 12 << 3: d->fsd.elephants = varint(&r); has_flows |= d->fsd.elephants != 0; break;
        case 13 << 3: d->fsd.mice = varint(&r); has_flows |= d->fsd.mice != 0; break;
        case 14 << 3 | BYTES: has_flows |= read_bins(part(&r), d, &r.is_bad) > 0; break;
        default: bad(&r); break;
        }
    s->paused = (double)paused;
    s->metric = has_metric ? (double)metric : NAN;
    s->detail = has_flows ? d : NULL;
    return !r.is_bad && paused >= 0 && paused <= 1 && (!has_metric || (metric >= 0 && metric <= 1));
}

bool codec_report_read(struct msg *m, struct msg_detail *detail, const unsigned char *bytes, size_t length)
{
    static struct msg_detail unwanted;
    struct msg_detail       *d = detail ? detail : &unwanted;
    struct reader            r = { .at = bytes, .end = bytes + length };
    bool                     is_good = length > 2 && bytes[0] == key_of(1, VARINT) && bytes[1] == MSG_REPORT, has_sample = false;
    unsigned                 key;

    if (!is_good)
        return false;
    memset(m, 0, sizeof *m);
    d->fsd = (struct fsd){ 0 };
    d->ports = d->pairs = 0;
    d->has_seen = false;
    while (is_good && (key = next(&r)) != 0)
        switch (key) {
        case 1 << 3: m->kind = (enum msg_kind)varint(&r); break;
        case 2 << 3: m->term = varint(&r); break;
        case 3 << 3: m->incarnation = varint(&r); break;
        case 4 << 3: m->change = varint(&r); break;
        case 5 << 3: m->stamp_us = varint(&r); break;
        case 6 << 3: m->at_us = varint(&r); break;
        case 9 << 3: is_good = (m->phase = (enum msg_phase)varint(&r)) < PHASE_KINDS; break;
        case 10 << 3: m->is_frozen = flag(&r); break;
        case 11 << 3: m->is_broken = flag(&r); break;
        case 13 << 3 | BYTES: has_sample = true; is_good = read_sample(part(&r), &m->sample, d); break;
        case 16 << 3: m->sample.is_brief = flag(&r); break;
        default: is_good = false; break;
        }
    if (!detail)
        m->sample.detail = NULL;
    return is_good && !r.is_bad && has_sample && m->kind == MSG_REPORT;
}
