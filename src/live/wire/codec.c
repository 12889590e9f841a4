/* src/live/wire/codec.c - see codec.h. */
#include "live/wire/codec.h"
#include "base/err.h"

#include <anole.pb-c.h>
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Our numbers are those of the .proto. */
_Static_assert((int)MSG_THAW == ANOLE__V1__KIND__THAW && MSG_KINDS == 12, "kinds");
_Static_assert((int)ANSWER_THAWED == ANOLE__V1__RESULT__THAWED && ANSWER_KINDS == 8, "answers");
_Static_assert((int)PHASE_APPLIED == ANOLE__V1__PHASE__IS_APPLIED && (int)KNOB_SWITCH == ANOLE__V1__WHERE__SWITCH, "phases");

/* ---- writing ---- */

struct knob_list { Anole__V1__Knob knob[KNOB_COUNT], *at[KNOB_COUNT]; size_t count; };

static void list_knobs(struct knob_list *l, const struct knob_set *set)
{
    l->count = 0;
    for (int i = 0; i < KNOB_COUNT; i++) {
        Anole__V1__Knob *k = &l->knob[l->count];

        if (!set->is_named[i])
            continue;
        anole__v1__knob__init(k);
        k->name = (char *)knob_info[i].name;
        k->value = set->knobs.value[i];
        l->at[l->count++] = k;
    }
}

static void fill_sample(Anole__V1__Sample *to, const struct msg_sample *from)
{
    anole__v1__sample__init(to);
    to->interval_us = from->interval_us;
    to->tx_bytes = from->tx_bytes;
    to->rate_bps = from->rate_bps;
    to->cnps = from->cnps;
    to->marked_packets = from->marked_packets;
    to->retransmissions = from->retransmissions;
    to->lossless_drops = from->lossless_drops;
    to->watchdog = from->watchdog;
    to->paused = (float)from->paused;
    to->has_metric = !isnan(from->metric);
    to->metric = to->has_metric ? (float)from->metric : 0;
}

static void fill(Anole__V1__Message *to, const struct msg *from)
{
    anole__v1__message__init(to);
    to->kind = (Anole__V1__Kind)from->kind;
    to->term = from->term;
    to->incarnation = from->incarnation;
    to->change = from->change;
    to->stamp_us = from->stamp_us;
    to->at_us = from->at_us;
    to->why = (char *)from->why;
    to->phase = (Anole__V1__Phase)from->phase;
    to->is_frozen = from->is_frozen;
    to->is_broken = from->is_broken;
    to->result = (Anole__V1__Result)from->answer;
}

static void fill_hello(Anole__V1__Hello *to, const struct msg *from, struct knob_list *confirmed, struct knob_list *baseline)
{
    anole__v1__hello__init(to);
    list_knobs(confirmed, &from->confirmed);
    list_knobs(baseline, &from->baseline);
    to->version = from->version;
    to->name = (char *)from->name;
    to->where = (Anole__V1__Where)from->where;
    to->may_write = from->may_write;
    to->gap_us = from->gap_us;
    to->interval_us = from->interval_us;
    to->confirmed = confirmed->at;
    to->n_confirmed = confirmed->count;
    to->baseline = baseline->at;
    to->n_baseline = baseline->count;
}

size_t codec_write(const struct msg *m, unsigned char *bytes)
{
    Anole__V1__Message out;
    Anole__V1__Sample  sample;
    Anole__V1__Hello   hello;
    struct knob_list   set, confirmed, baseline;

    fill(&out, m);
    list_knobs(&set, &m->set);
    out.set = set.at;
    out.n_set = set.count;
    if (m->kind == MSG_REPORT) {
        fill_sample(&sample, &m->sample);
        out.sample = &sample;
    } else if (m->kind == MSG_HELLO) {
        fill_hello(&hello, m, &confirmed, &baseline);
        out.hello = &hello;
    }
    assert(anole__v1__message__get_packed_size(&out) <= CODEC_BYTES_MAX);
    return anole__v1__message__pack(&out, bytes);
}

/* ---- reading ---- */

static bool take_knobs(struct knob_set *set, Anole__V1__Knob *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        enum knob knob = knob_find(list[i]->name);

        if (knob == KNOB_COUNT || set->is_named[knob] || !isfinite(list[i]->value))
            return false;
        knob_set_add(set, knob, list[i]->value);
    }
    return true;
}

/* A text from elsewhere: it ends up in logs and on terminals. */
static bool take_text(char *to, size_t size, const char *from)
{
    if (strlen(from) >= size)
        return false;
    for (const char *c = from; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127)
            return false;
    memcpy(to, from, strlen(from) + 1);
    return true;
}

static bool take_sample(struct msg_sample *to, const Anole__V1__Sample *from)
{
    to->interval_us = from->interval_us;
    to->tx_bytes = from->tx_bytes;
    to->rate_bps = from->rate_bps;
    to->cnps = from->cnps;
    to->marked_packets = from->marked_packets;
    to->retransmissions = from->retransmissions;
    to->lossless_drops = from->lossless_drops;
    to->watchdog = from->watchdog;
    to->paused = (double)from->paused;
    to->metric = from->has_metric ? (double)from->metric : NAN;
    return from->paused >= 0 && from->paused <= 1 && (!from->has_metric || (from->metric >= 0 && from->metric <= 1));
}

static bool take_hello(struct msg *m, const Anole__V1__Hello *h)
{
    m->version = h->version;
    m->where = (enum knob_where)h->where;
    m->may_write = h->may_write;
    m->gap_us = h->gap_us;
    m->interval_us = h->interval_us;
    return (h->where == ANOLE__V1__WHERE__NIC || h->where == ANOLE__V1__WHERE__SWITCH) && *h->name &&
           take_text(m->name, sizeof m->name, h->name) && take_knobs(&m->confirmed, h->confirmed, h->n_confirmed) &&
           take_knobs(&m->baseline, h->baseline, h->n_baseline);
}

static bool take(struct msg *m, const Anole__V1__Message *in)
{
    if ((unsigned)in->kind >= MSG_KINDS || in->kind == ANOLE__V1__KIND__NONE || (unsigned)in->result >= ANSWER_KINDS ||
        (unsigned)in->phase >= PHASE_KINDS)
        return false;
    m->kind = (enum msg_kind)in->kind;
    m->term = in->term;
    m->incarnation = in->incarnation;
    m->change = in->change;
    m->stamp_us = in->stamp_us;
    m->at_us = in->at_us;
    m->phase = (enum msg_phase)in->phase;
    m->is_frozen = in->is_frozen;
    m->is_broken = in->is_broken;
    m->answer = (enum msg_answer)in->result;
    if ((m->kind == MSG_HELLO) != (in->hello != NULL) || (m->kind == MSG_REPORT) != (in->sample != NULL))
        return false;
    return take_text(m->why, sizeof m->why, in->why) && take_knobs(&m->set, in->set, in->n_set) &&
           (!in->hello || take_hello(m, in->hello)) && (!in->sample || take_sample(&m->sample, in->sample));
}

int codec_read(struct msg *m, const unsigned char *bytes, size_t length)
{
    Anole__V1__Message *in = length <= CODEC_BYTES_MAX ? anole__v1__message__unpack(NULL, length, bytes) : NULL;
    struct msg          read = { .kind = MSG_NONE };
    bool                is_good = in && take(&read, in);

    if (in)
        anole__v1__message__free_unpacked(in, NULL);
    if (!is_good)
        return -EBADMSG;
    *m = read;
    return 0;
}

/* ---- questions ---- */

size_t codec_write_question(const struct question *q, unsigned char *bytes)
{
    Anole__V1__Question out;

    anole__v1__question__init(&out);
    out.version = q->version;
    out.verb = (char *)q->verb;
    out.device = (char *)q->device;
    out.why = (char *)q->why;
    out.number = q->number;
    return anole__v1__question__pack(&out, bytes);
}

int codec_read_question(struct question *q, const unsigned char *bytes, size_t length)
{
    Anole__V1__Question *in = length <= CODEC_BYTES_MAX ? anole__v1__question__unpack(NULL, length, bytes) : NULL;
    struct question      read = { 0 };
    bool                 is_good;

    if (!in)
        return -EBADMSG;
    read.version = in->version;
    read.number = in->number;
    is_good = take_text(read.verb, sizeof read.verb, in->verb) && take_text(read.device, sizeof read.device, in->device) &&
              take_text(read.why, sizeof read.why, in->why);
    anole__v1__question__free_unpacked(in, NULL);
    if (!is_good)
        return -EBADMSG;
    *q = read;
    return 0;
}

size_t codec_write_reply(const char *error, const char *text, unsigned char **bytes)
{
    Anole__V1__Reply out;

    anole__v1__reply__init(&out);
    out.error = (char *)error;
    out.text = (char *)text;
    *bytes = xmalloc(anole__v1__reply__get_packed_size(&out) + 1);
    return anole__v1__reply__pack(&out, *bytes);
}

int codec_read_reply(char **error, char **text, const unsigned char *bytes, size_t length)
{
    Anole__V1__Reply *in = anole__v1__reply__unpack(NULL, length, bytes);

    if (!in)
        return -EBADMSG;
    *error = xstrdup(in->error);
    *text = xstrdup(in->text);
    anole__v1__reply__free_unpacked(in, NULL);
    return 0;
}
