/* src/live/wire/codec_report.c - see codec_report.h. The numbers of fields are those of anole.proto. */
#include "live/wire/codec_report.h"
#include "live/wire/reader.h"

#include <math.h>
#include <string.h>

/* Returns how many there are. */
static size_t read_bins(struct reader r, struct msg_detail *d, bool *is_bad)
{
    size_t count = 0;

    while (r.at < r.end && !r.is_bad) {
        uint64_t value = reader_varint(&r);

        if (count == FSD_BINS || value > UINT32_MAX)
            reader_bad(&r);
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

    while ((key = reader_next(&r)) != 0)
        switch (key) {
        case 1 << 3: s->interval_us = reader_varint(&r); break;
        case 2 << 3: s->tx_bytes = reader_varint(&r); break;
        case 3 << 3: s->rate_bps = reader_varint(&r); break;
        case 4 << 3: s->cnps = reader_varint(&r); break;
        case 5 << 3: s->marked_packets = reader_varint(&r); break;
        case 6 << 3: s->retransmissions = reader_varint(&r); break;
        case 7 << 3: s->lossless_drops = reader_varint(&r); break;
        case 8 << 3: s->watchdog = reader_varint(&r); break;
        case 9 << 3 | READER_FIXED32: paused = reader_real(&r); break;
        case 10 << 3 | READER_FIXED32: metric = reader_real(&r); break;
        case 11 << 3: has_metric = reader_flag(&r); break;
        case 12 << 3: d->fsd.elephants = reader_varint(&r); has_flows |= d->fsd.elephants != 0; break;
        case 13 << 3: d->fsd.mice = reader_varint(&r); has_flows |= d->fsd.mice != 0; break;
        case 14 << 3 | READER_BYTES: has_flows |= read_bins(reader_part(&r), d, &r.is_bad) > 0; break;
        default: reader_bad(&r); break;
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
    struct reader            r = { .at = bytes, .end = length ? bytes + length : bytes };       /* bytes may be NULL */
    bool                     is_good = length > 2 && bytes[0] == reader_key(1, READER_VARINT) && bytes[1] == MSG_REPORT, has_sample = false;
    unsigned                 key;

    if (!is_good)
        return false;
    memset(m, 0, sizeof *m);
    d->fsd = (struct fsd){ 0 };
    d->ports = d->pairs = 0;
    d->has_seen = false;
    while (is_good && (key = reader_next(&r)) != 0)
        switch (key) {
        case 1 << 3: m->kind = (enum msg_kind)reader_varint(&r); break;
        case 2 << 3: m->term = reader_varint(&r); break;
        case 3 << 3: m->incarnation = reader_varint(&r); break;
        case 4 << 3: m->change = reader_varint(&r); break;
        case 5 << 3: m->stamp_us = reader_varint(&r); break;
        case 6 << 3: m->at_us = reader_varint(&r); break;
        case 9 << 3: is_good = (m->phase = (enum msg_phase)reader_varint(&r)) < PHASE_KINDS; break;
        case 10 << 3: m->is_frozen = reader_flag(&r); break;
        case 11 << 3: m->is_broken = reader_flag(&r); break;
        case 13 << 3 | READER_BYTES: has_sample = true; is_good = read_sample(reader_part(&r), &m->sample, d); break;
        case 16 << 3: m->sample.is_brief = reader_flag(&r); break;
        default: is_good = false; break;
        }
    if (!detail)
        m->sample.detail = NULL;
    return is_good && !r.is_bad && has_sample && m->kind == MSG_REPORT;
}
