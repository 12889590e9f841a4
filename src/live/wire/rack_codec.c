#include "live/wire/rack_codec.h"
#include "base/err.h"
#include "live/wire/codec.h"
#include "live/wire/seen_codec.h"

#include <anole.pb-c.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BYTES_MAX (4ul << 20)
#define COLUMNS   10

/* Columns are the stamp and all counters. */
#define NUMBER(field)   r->sample.field,
#define TAKE(field)     r->sample.field = *n++;
#define COLUMN(field)   { &r->n_##field, &r->field },

static void numbers_of(const struct rack_row *r, uint64_t out[COLUMNS])
{
    const uint64_t number[COLUMNS] = { r->stamp_us, MSG_COUNTERS(NUMBER) };

    memcpy(out, number, sizeof number);
}

static void set_numbers(struct rack_row *r, const uint64_t *n)
{
    r->stamp_us = *n++;
    r->sample = (struct msg_sample){ 0 };
    MSG_COUNTERS(TAKE)
}

struct column { size_t *count; uint64_t **at; };

static void columns_of(Anole__V1__Rack *r, struct column out[COLUMNS])
{
    const struct column column[COLUMNS] = { COLUMN(stamp_us) MSG_COUNTERS(COLUMN) };

    memcpy(out, column, sizeof column);
}

/* ---- writing ---- */

struct room {                    /* for what protobuf-c wants in arrays */
    uint32_t        slot[RACK_DEVICES_MAX], bin[FSD_BINS];
    uint64_t        number[COLUMNS][RACK_DEVICES_MAX];
    float           paused[RACK_DEVICES_MAX], metric[RACK_DEVICES_MAX];
};

static void fill_rows(Anole__V1__Rack *to, const struct rack *from, struct room *room)
{
    struct column column[COLUMNS];
    uint64_t      number[COLUMNS];
    bool          is_any[COLUMNS] = { false }, is_paused = false;

    columns_of(to, column);
    for (uint32_t i = 0; i < from->rows; i++) {
        const struct msg_sample *s = &from->row[i].sample;

        numbers_of(&from->row[i], number);
        number[COLUMNS - 1] |= isnan(s->paused) ? CODEC_UNKNOWN_PAUSED : 0;
        for (int c = 0; c < COLUMNS; c++) {
            room->number[c][i] = number[c];
            is_any[c] |= number[c] != 0;
        }
        room->slot[i] = from->row[i].slot;
        room->paused[i] = isnan(s->paused) ? 0 : (float)s->paused;
        room->metric[i] = isnan(s->metric) ? -1 : (float)s->metric;
        is_paused |= s->paused > 0;
    }
    for (int c = 0; c < COLUMNS; c++) {
        *column[c].at = room->number[c];
        *column[c].count = is_any[c] ? from->rows : 0;
    }
    to->slot = room->slot;
    to->metric = room->metric;
    to->paused = room->paused;
    to->n_slot = to->n_metric = from->rows;
    to->n_paused = is_paused ? from->rows : 0;
}

static void fill_flows(Anole__V1__Rack *to, const struct fsd *f, struct room *room)
{
    to->elephants = f->elephants;
    to->mice = f->mice;
    to->bin = room->bin;
    for (size_t i = 0; i < FSD_BINS; i++) {
        room->bin[i] = f->bin[i] < UINT32_MAX ? (uint32_t)f->bin[i] : UINT32_MAX;
        to->n_bin = room->bin[i] ? i + 1 : to->n_bin;
    }
}

/* To be freed, item by item. */
static void fill_items(Anole__V1__Rack *to, const struct rack *from)
{
    static unsigned char bytes[CODEC_BYTES_MAX];

    to->item = xcalloc(from->items + 1ul, sizeof *to->item);
    to->n_item = from->items;
    for (uint32_t i = 0; i < from->items; i++) {
        Anole__V1__Item *item = xmalloc(sizeof *item);

        anole__v1__item__init(item);
        item->slot = from->item[i].slot;
        item->message.len = codec_write(&from->item[i].msg, bytes);
        item->message.data = xmalloc(item->message.len + 1);
        memcpy(item->message.data, bytes, item->message.len);
        to->item[i] = item;
    }
}

static void free_items(Anole__V1__Rack *r)
{
    for (size_t i = 0; i < r->n_item; i++) {
        free(r->item[i]->message.data);
        free(r->item[i]);
    }
    free(r->item);
}

struct messages_room { Anole__V1__HostMessages messages; struct seen_list list; };

/* To be freed, one by one. */
static void fill_messages(Anole__V1__Rack *to, const struct rack *from)
{
    to->host_messages = xcalloc(from->messages_count + 1ul, sizeof *to->host_messages);
    to->n_host_messages = from->messages_count;
    for (uint32_t i = 0; i < from->messages_count; i++) {
        struct messages_room *room = xmalloc(sizeof *room);

        anole__v1__host_messages__init(&room->messages);
        room->messages.slot = from->messages[i].slot;
        room->messages.seen = seen_codec_list(&room->list, &from->messages[i].part);
        to->host_messages[i] = &room->messages;
    }
}

static void free_messages(Anole__V1__Rack *r)
{
    for (size_t i = 0; i < r->n_host_messages; i++)
        free(r->host_messages[i]);        /* the first of its room */
    free(r->host_messages);
}

size_t rack_codec_write(const struct rack *r, unsigned char **bytes)
{
    static struct room room;
    Anole__V1__Message out;
    Anole__V1__Rack    rack;
    size_t             length;

    anole__v1__message__init(&out);
    anole__v1__rack__init(&rack);
    out.kind = ANOLE__V1__KIND__RACK;
    out.rack = &rack;
    rack.life = r->life;
    rack.number = r->number;
    rack.term = r->term;
    fill_rows(&rack, r, &room);
    fill_flows(&rack, &r->fsd, &room);
    rack.gone = (uint32_t *)r->gone;
    rack.n_gone = r->gones;
    fill_items(&rack, r);
    fill_messages(&rack, r);
    *bytes = xmalloc(anole__v1__message__get_packed_size(&out) + 1);
    length = anole__v1__message__pack(&out, *bytes);
    free_items(&rack);
    free_messages(&rack);
    return length;
}

/* ---- reading ---- */

/* The kind comes first, in what we and all others write. */
bool rack_codec_is(const unsigned char *bytes, size_t length)
{
    return length >= 2 && bytes[0] == 0x08 && bytes[1] == ANOLE__V1__KIND__RACK;
}

static bool take_rows(struct rack *to, Anole__V1__Rack *from)
{
    struct column column[COLUMNS];
    uint64_t      number[COLUMNS];

    columns_of(from, column);
    for (int c = 0; c < COLUMNS; c++)
        if (*column[c].count && *column[c].count != from->n_slot)
            return false;
    if (from->n_slot > RACK_DEVICES_MAX || from->n_metric != from->n_slot ||
        (from->n_paused && from->n_paused != from->n_slot))
        return false;
    for (size_t i = 0; i < from->n_slot; i++) {
        float paused = from->n_paused ? from->paused[i] : 0;

        for (int c = 0; c < COLUMNS; c++)
            number[c] = *column[c].count ? (*column[c].at)[i] : 0;
        set_numbers(&to->row[i], number);
        to->row[i].slot = from->slot[i];
        to->row[i].sample.unknown &= MSG_UNKNOWN_ALL;
        to->row[i].sample.paused = number[COLUMNS - 1] & CODEC_UNKNOWN_PAUSED ? NAN : (double)paused;
        to->row[i].sample.metric = from->metric[i] < 0 ? NAN : (double)from->metric[i];
        if (!(paused >= 0 && paused <= 1) || !(from->metric[i] <= 1))
            return false;
    }
    to->rows = (uint32_t)from->n_slot;
    return true;
}

static bool take_rest(struct rack *to, const Anole__V1__Rack *from)
{
    struct msg m;

    if (from->n_gone > RACK_DEVICES_MAX || from->n_bin > FSD_BINS || from->n_item > 4ul * RACK_DEVICES_MAX)
        return false;
    to->fsd.elephants = from->elephants;
    to->fsd.mice = from->mice;
    for (size_t i = 0; i < from->n_bin; i++)
        to->fsd.bin[i] = from->bin[i];
    to->gones = (uint32_t)from->n_gone;
    for (size_t i = 0; i < from->n_gone; i++)
        to->gone[i] = from->gone[i];
    for (size_t i = 0; i < from->n_item; i++) {
        if (codec_read(&m, from->item[i]->message.data, from->item[i]->message.len))
            return false;
        rack_add(to, from->item[i]->slot, &m);
    }
    return true;
}

static bool take_messages(struct rack *to, const Anole__V1__Rack *from)
{
    if (from->n_host_messages > RACK_DEVICES_MAX)
        return false;
    for (size_t i = 0; i < from->n_host_messages; i++) {
        const Anole__V1__HostMessages *m = from->host_messages[i];

        if (!m->seen || !seen_codec_take(rack_add_messages(to, m->slot), m->seen))
            return false;
    }
    return true;
}

int rack_codec_read(struct rack *r, const unsigned char *bytes, size_t length)
{
    Anole__V1__Message *in = length <= BYTES_MAX ? anole__v1__message__unpack(NULL, length, bytes) : NULL;
    bool                is_good = in && in->kind == ANOLE__V1__KIND__RACK && in->rack;

    rack_clear(r);
    if (is_good) {
        r->life = in->rack->life;
        r->number = in->rack->number;
        r->term = in->rack->term;
        is_good = r->term <= MSG_TERM_MAX && take_rows(r, in->rack) && take_rest(r, in->rack) &&
                  take_messages(r, in->rack);
    }
    if (in)
        anole__v1__message__free_unpacked(in, NULL);
    return is_good ? 0 : -EBADMSG;
}
