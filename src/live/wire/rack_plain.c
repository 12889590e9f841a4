/* src/live/wire/rack_plain.c - see rack_plain.h. */
#include "live/wire/rack_plain.h"
#include "live/wire/reader.h"

#include <math.h>

/* Slots come before all columns: how many there are says how long those must be. */
static void read_slots(struct reader in, struct rack *r, bool *is_bad)
{
    while (in.at < in.end && !in.is_bad) {
        uint64_t slot = reader_varint(&in);

        if (r->rows == RACK_DEVICES_MAX || slot > UINT32_MAX)
            reader_bad(&in);
        else {
            r->row[r->rows] = (struct rack_row){ .slot = (uint32_t)slot };
            r->row[r->rows++].sample.metric = NAN;
        }
    }
    *is_bad |= in.is_bad;
}

/* 'first': of the first row. */
static void read_numbers(struct reader in, const struct rack *r, uint64_t *first, bool *is_bad)
{
    char *at = (char *)first;

    for (uint32_t i = 0; i < r->rows; i++, at += sizeof *r->row)
        *(uint64_t *)(void *)at = reader_varint(&in);
    *is_bad |= in.is_bad || in.at != in.end;
}

static void read_paused(struct reader in, struct rack *r, bool *is_bad)
{
    for (uint32_t i = 0; i < r->rows; i++) {
        float paused = reader_real(&in);

        r->row[i].sample.paused = (double)paused;
        *is_bad |= !(paused >= 0 && paused <= 1);
    }
    *is_bad |= in.is_bad || in.at != in.end;
}

static void read_metrics(struct reader in, struct rack *r, bool *is_bad)
{
    for (uint32_t i = 0; i < r->rows; i++) {
        float metric = reader_real(&in);

        r->row[i].sample.metric = metric < 0 ? NAN : (double)metric;
        *is_bad |= !(metric <= 1);
    }
    *is_bad |= in.is_bad || in.at != in.end;
}

static void read_bins(struct reader in, struct fsd *f, bool *is_bad)
{
    for (uint32_t i = 0; in.at < in.end && !in.is_bad; i++) {
        uint64_t value = reader_varint(&in);

        if (i == FSD_BINS || value > UINT32_MAX)
            reader_bad(&in);
        else
            f->bin[i] = value;
    }
    *is_bad |= in.is_bad;
}

static void read_gone(struct reader in, struct rack *r, bool *is_bad)
{
    while (in.at < in.end && !in.is_bad) {
        uint64_t slot = reader_varint(&in);

        if (r->gones == RACK_DEVICES_MAX || slot > UINT32_MAX)
            reader_bad(&in);
        else
            r->gone[r->gones++] = (uint32_t)slot;
    }
    *is_bad |= in.is_bad;
}

enum { SLOT = 4, METRIC = 15, LAST_COLUMN = METRIC };

/* Columns are 5 to 13 of the numbers of fields. */
static uint64_t *column_of(struct rack *r, unsigned number)
{
    struct msg_sample *s = &r->row[0].sample;
    uint64_t *const    column[] = { &r->row[0].stamp_us, &s->interval_us, &s->tx_bytes, &s->rate_bps, &s->cnps, &s->marked_packets,
                                    &s->retransmissions, &s->lossless_drops, &s->watchdog };

    return column[number - 5];
}

static bool read_rack(struct reader in, struct rack *r)
{
    bool     has_metric = false, is_bad = false;
    unsigned key;

    while (!is_bad && (key = reader_next(&in)) != 0) {
        unsigned number = key >> 3;

        if (number > SLOT && number <= LAST_COLUMN && !r->rows)
            return false;
        switch (key) {
        case 1 << 3: r->life = reader_varint(&in); break;
        case 2 << 3: r->number = reader_varint(&in); break;
        case 3 << 3: r->term = reader_varint(&in); break;
        case SLOT << 3 | READER_BYTES: read_slots(reader_part(&in), r, &is_bad); break;
        case 14 << 3 | READER_BYTES: read_paused(reader_part(&in), r, &is_bad); break;
        case METRIC << 3 | READER_BYTES: read_metrics(reader_part(&in), r, &is_bad); has_metric = true; break;
        case 16 << 3: r->fsd.elephants = reader_varint(&in); break;
        case 17 << 3: r->fsd.mice = reader_varint(&in); break;
        case 18 << 3 | READER_BYTES: read_bins(reader_part(&in), &r->fsd, &is_bad); break;
        case 19 << 3 | READER_BYTES: read_gone(reader_part(&in), r, &is_bad); break;
        default:
            if (number <= SLOT || number > 13 || (key & 7) != READER_BYTES)
                return false;
            read_numbers(reader_part(&in), r, column_of(r, number), &is_bad);
            break;
        }
    }
    return !is_bad && !in.is_bad && has_metric == (r->rows > 0);
}

bool rack_plain_read(struct rack *r, const unsigned char *bytes, size_t length)
{
    struct reader in = { .at = bytes, .end = length ? bytes + length : bytes };
    unsigned      key;
    bool          has_rack = false;

    if (length < 2 || bytes[0] != reader_key(1, READER_VARINT) || bytes[1] != MSG_RACK)
        return false;
    while ((key = reader_next(&in)) != 0)
        switch (key) {
        case 1 << 3: reader_varint(&in); break;
        case 15 << 3 | READER_BYTES:
            has_rack = true;
            if (!read_rack(reader_part(&in), r))
                return false;
            break;
        default: return false;
        }
    return has_rack && !in.is_bad;
}
