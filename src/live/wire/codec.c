#include "live/wire/codec.h"
#include "base/err.h"
#include "live/wire/seen_codec.h"

#include <anole.pb-c.h>
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Our numbers are those of the .proto. */
_Static_assert((int)MSG_THAW == ANOLE__V1__KIND__THAW && (int)MSG_RACK == ANOLE__V1__KIND__RACK &&
               (int)MSG_QUEUES == ANOLE__V1__KIND__QUEUES &&
               (int)MSG_DRILL == ANOLE__V1__KIND__DRILL && (int)MSG_LEARN == ANOLE__V1__KIND__LEARN, "kinds");
_Static_assert((int)ANSWER_THAWED == ANOLE__V1__RESULT__THAWED && ANSWER_KINDS == 8, "answers");
_Static_assert(MSG_SAMPLE_cnps == 1 && MSG_SAMPLE_watchdog == 5 && MSG_SAMPLE_COUNTERS == 6, "unknown");
_Static_assert((int)PHASE_APPLIED == ANOLE__V1__PHASE__IS_APPLIED &&
               (int)KNOB_SWITCH == ANOLE__V1__WHERE__SWITCH, "phases");

/* Fields that have the same name and meaning in our structs and in the .proto, for both directions. */
#define COPY(field) to->field = from->field;
#define PORT_FIELDS(X) \
    X(tx_bytes) X(rate_bps) X(pauses) X(paused_ps) X(marked_packets) X(queue_bytes) X(has_queue)
#define PAIR_FIELDS(X) X(peer) X(base_rtt_ps) X(rtt_ps_sum) X(rtt_samples) X(rtt_ps_last)
#define HELLO_FIELDS(X) X(version) X(may_write) X(gap_us) X(interval_us)
#define FACT_FIELDS(X) X(number) X(ports) X(rate_bps) X(base_rtt_ps) X(pfc_bytes_one) X(pfc_bytes_two)
#define SELF_FIELDS(X) X(queues) X(moved) X(decisions) X(changes) X(net)
#define MESSAGE_FIELDS(X) X(term) X(incarnation) X(change) X(stamp_us) X(at_us) X(is_frozen) X(is_broken)

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

/* Room for what protobuf-c wants as lists of pointers. */
struct detail_list {
    Anole__V1__Port port[MSG_PORTS_MAX], *port_at[MSG_PORTS_MAX];
    Anole__V1__Pair pair[MSG_PAIRS_MAX], *pair_at[MSG_PAIRS_MAX];
    uint32_t        bin[FSD_BINS];
    struct seen_list seen;
};

static void list_ports(struct detail_list *l, const struct msg_detail *d)
{
    for (uint32_t i = 0; i < d->ports; i++) {
        const struct msg_port *from = &d->port[i];
        Anole__V1__Port       *to = &l->port[i];

        anole__v1__port__init(to);
        PORT_FIELDS(COPY)
        to->name = (char *)from->name;
        l->port_at[i] = to;
    }
}

static void list_pairs(struct detail_list *l, const struct msg_detail *d)
{
    for (uint32_t i = 0; i < d->pairs; i++) {
        const struct msg_pair *from = &d->pair[i];
        Anole__V1__Pair       *to = &l->pair[i];

        anole__v1__pair__init(to);
        PAIR_FIELDS(COPY)
        l->pair_at[i] = to;
    }
}

static void fill_detail(Anole__V1__Sample *to, const struct msg_detail *d, struct detail_list *l)
{
    list_ports(l, d);
    list_pairs(l, d);
    to->elephants = d->fsd.elephants;
    to->mice = d->fsd.mice;
    for (size_t i = 0; i < FSD_BINS; i++) {
        l->bin[i] = d->fsd.bin[i] < UINT32_MAX ? (uint32_t)d->fsd.bin[i] : UINT32_MAX;
        to->n_bin = l->bin[i] ? i + 1 : to->n_bin;
    }
    to->bin = l->bin;
    to->port = l->port_at;
    to->n_port = d->ports;
    to->pair = l->pair_at;
    to->n_pair = d->pairs;
    to->seen = d->has_seen ? seen_codec_list(&l->seen, &d->seen) : NULL;
}

static void fill_sample(Anole__V1__Sample *to, const struct msg_sample *from)
{
    anole__v1__sample__init(to);
    MSG_COUNTERS(COPY)
    to->unknown |= isnan(from->paused) ? CODEC_UNKNOWN_PAUSED : 0;
    to->paused = isnan(from->paused) ? 0 : (float)from->paused;
    to->has_metric = !isnan(from->metric);
    to->metric = to->has_metric ? (float)from->metric : 0;
}

static void fill(Anole__V1__Message *to, const struct msg *from)
{
    anole__v1__message__init(to);
    MESSAGE_FIELDS(COPY)
    to->kind = (Anole__V1__Kind)from->kind;
    to->has_control = from->kind == MSG_LEASE && from->has_control;
    to->control = to->has_control ? (float)from->control : 0;
    to->brief = from->kind == MSG_LEASE ? from->is_brief : from->kind == MSG_REPORT && from->sample.is_brief;
    to->why = (char *)from->why;
    to->phase = (Anole__V1__Phase)from->phase;
    to->result = (Anole__V1__Result)from->answer;
}

static void fill_facts(Anole__V1__Hello *to, const struct msg_facts *from)
{
    FACT_FIELDS(COPY)
}

static void fill_hello(Anole__V1__Hello *to, const struct msg *from, struct knob_list *confirmed,
                       struct knob_list *baseline)
{
    anole__v1__hello__init(to);
    HELLO_FIELDS(COPY)
    fill_facts(to, &from->facts);
    list_knobs(confirmed, &from->confirmed);
    list_knobs(baseline, &from->baseline);
    to->name = (char *)from->name;
    to->where = (Anole__V1__Where)from->where;
    to->confirmed = confirmed->at;
    to->n_confirmed = confirmed->count;
    to->baseline = baseline->at;
    to->n_baseline = baseline->count;
}

static void fill_self(Anole__V1__Self *to, const struct msg_self *from)
{
    anole__v1__self__init(to);
    SELF_FIELDS(COPY)
    to->allowed = from->is_allowed;
    to->training = from->is_training;
}

static void fill_learn(Anole__V1__Learn *to, const struct msg_learn *from)
{
    assert(from->rows <= MSG_LEARN_ROWS_MAX && from->floats <= MSG_LEARN_FLOATS_MAX);
    anole__v1__learn__init(to);
    to->version = from->version;
    to->seed = from->seed;
    to->checksum = from->checksum;
    to->n_slot = to->n_queue = from->rows;
    to->slot = (uint32_t *)from->slot;
    to->queue = (uint32_t *)from->queue;
    to->n_value = from->floats;
    to->value = (float *)from->value;
}

size_t codec_write(const struct msg *m, unsigned char *bytes)
{
    Anole__V1__Message out;
    Anole__V1__Self    self;
    Anole__V1__Sample  sample;
    Anole__V1__Hello   hello;
    Anole__V1__Learn   learn;
    struct knob_list   set, confirmed, baseline;
    struct detail_list detail;

    fill(&out, m);
    list_knobs(&set, &m->set);
    out.set = set.at;
    out.n_set = set.count;
    if (m->kind == MSG_REPORT) {
        fill_sample(&sample, &m->sample);
        if (m->sample.detail)
            fill_detail(&sample, m->sample.detail, &detail);
        out.sample = &sample;
    } else if (m->kind == MSG_HELLO) {
        fill_hello(&hello, m, &confirmed, &baseline);
        out.hello = &hello;
    } else if (m->kind == MSG_LEARN && m->learn) {
        fill_learn(&learn, m->learn);
        out.learn = &learn;
    }
    if (m->self.is_there) {
        fill_self(&self, &m->self);
        out.self = &self;
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
    MSG_COUNTERS(COPY)
    to->unknown &= MSG_UNKNOWN_ALL;
    to->paused = from->unknown & CODEC_UNKNOWN_PAUSED ? NAN : (double)from->paused;
    to->metric = from->has_metric ? (double)from->metric : NAN;
    return from->paused >= 0 && from->paused <= 1 &&
           (!from->has_metric || (from->metric >= 0 && from->metric <= 1));
}

static bool take_port(struct msg_port *to, const Anole__V1__Port *from)
{
    PORT_FIELDS(COPY)
    return take_text(to->name, sizeof to->name, from->name);
}

static void take_pair(struct msg_pair *to, const Anole__V1__Pair *from)
{
    PAIR_FIELDS(COPY)
}

/* Details are decoded only on request. */
static bool take_detail(struct msg_detail *to, const Anole__V1__Sample *from)
{
    if (from->n_port > MSG_PORTS_MAX || from->n_pair > MSG_PAIRS_MAX || from->n_bin > FSD_BINS)
        return false;
    to->fsd = (struct fsd){ .elephants = from->elephants, .mice = from->mice };
    for (size_t i = 0; i < from->n_bin; i++)
        to->fsd.bin[i] = from->bin[i];
    to->ports = (uint32_t)from->n_port;
    for (size_t i = 0; i < from->n_port; i++)
        if (!take_port(&to->port[i], from->port[i]))
            return false;
    to->pairs = (uint32_t)from->n_pair;
    for (size_t i = 0; i < from->n_pair; i++)
        take_pair(&to->pair[i], from->pair[i]);
    to->has_seen = from->seen != NULL;
    return !from->seen || seen_codec_take(&to->seen, from->seen);
}

/* Records of one size, or a net, or nothing. */
static bool take_learn(struct msg_learn *to, const Anole__V1__Learn *from)
{
    if (from->n_slot > MSG_LEARN_ROWS_MAX || from->n_queue != from->n_slot ||
        from->n_value > MSG_LEARN_FLOATS_MAX || (from->n_slot && from->n_value % from->n_slot))
        return false;
    for (size_t i = 0; i < from->n_value; i++)
        if (!isfinite(from->value[i]))
            return false;
    to->version = from->version;
    to->seed = from->seed;
    to->checksum = from->checksum;
    to->rows = (uint32_t)from->n_slot;
    to->floats = (uint32_t)from->n_value;
    if (to->rows) {
        memcpy(to->slot, from->slot, to->rows * sizeof *to->slot);
        memcpy(to->queue, from->queue, to->rows * sizeof *to->queue);
    }
    if (to->floats)
        memcpy(to->value, from->value, to->floats * sizeof *to->value);
    return true;
}

static bool has_detail(const Anole__V1__Sample *s)
{
    return s->elephants || s->mice || s->n_bin || s->n_port || s->n_pair || s->seen;
}

static void take_facts(struct msg_facts *to, const Anole__V1__Hello *from)
{
    FACT_FIELDS(COPY)
}

static bool take_hello(struct msg *to, const Anole__V1__Hello *from)
{
    HELLO_FIELDS(COPY)
    take_facts(&to->facts, from);
    to->where = (enum knob_where)from->where;
    return (from->where == ANOLE__V1__WHERE__NIC || from->where == ANOLE__V1__WHERE__SWITCH) && *from->name &&
           take_text(to->name, sizeof to->name, from->name) &&
           take_knobs(&to->confirmed, from->confirmed, from->n_confirmed) &&
           take_knobs(&to->baseline, from->baseline, from->n_baseline);
}

static void take_self(struct msg_self *to, const Anole__V1__Self *from)
{
    SELF_FIELDS(COPY)
    to->is_there = true;
    to->is_allowed = from->allowed;
    to->is_training = from->training;
}

static bool decode(struct msg *to, const Anole__V1__Message *from)
{
    if ((unsigned)from->kind >= MSG_KINDS || from->kind == ANOLE__V1__KIND__NONE ||
        from->kind == ANOLE__V1__KIND__RACK || (unsigned)from->result >= ANSWER_KINDS ||
        (unsigned)from->phase >= PHASE_KINDS || from->term > MSG_TERM_MAX)
        return false;
    MESSAGE_FIELDS(COPY)
    to->kind = (enum msg_kind)from->kind;
    to->phase = (enum msg_phase)from->phase;
    to->answer = (enum msg_answer)from->result;
    to->is_brief = from->brief && to->kind == MSG_LEASE;
    to->has_control = from->has_control && from->control >= 0 && from->control <= 1 && to->kind == MSG_LEASE;
    to->control = to->has_control ? (double)from->control : 0;
    to->sample.is_brief = from->brief && to->kind == MSG_REPORT;
    if (from->self)
        take_self(&to->self, from->self);
    if ((to->kind == MSG_HELLO) != (from->hello != NULL) || (to->kind == MSG_QUEUES && !from->self) ||
        (to->kind == MSG_REPORT) != (from->sample != NULL))
        return false;
    return take_text(to->why, sizeof to->why, from->why) && take_knobs(&to->set, from->set, from->n_set) &&
           (!from->hello || take_hello(to, from->hello)) &&
           (!from->sample || take_sample(&to->sample, from->sample));
}

int codec_read(struct msg *m, const unsigned char *bytes, size_t length)
{
    return codec_read_all(m, NULL, NULL, bytes, length);
}

int codec_read_all(struct msg *m, struct msg_detail *detail, struct msg_learn *learn,
                   const unsigned char *bytes, size_t length)
{
    Anole__V1__Message *in = length <= CODEC_BYTES_MAX ?
                             anole__v1__message__unpack(NULL, length, bytes) : NULL;
    struct msg          read = { .kind = MSG_NONE };
    bool                is_good = in && decode(&read, in);

    if (is_good && detail && in->sample && has_detail(in->sample)) {
        is_good = take_detail(detail, in->sample);
        read.sample.detail = detail;
    }
    if (is_good && learn && in->learn && read.kind == MSG_LEARN) {
        is_good = take_learn(learn, in->learn);
        read.learn = learn;
    }
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
    out.code = (char *)q->code;
    return anole__v1__question__pack(&out, bytes);
}

int codec_read_question(struct question *q, const unsigned char *bytes, size_t length)
{
    Anole__V1__Question *in = length <= CODEC_BYTES_MAX ?
                              anole__v1__question__unpack(NULL, length, bytes) : NULL;
    struct question      read = { 0 };
    bool                 is_good;

    if (!in)
        return -EBADMSG;
    read.version = in->version;
    read.number = in->number;
    is_good = take_text(read.verb, sizeof read.verb, in->verb) &&
              take_text(read.device, sizeof read.device, in->device) &&
              take_text(read.why, sizeof read.why, in->why) &&
              take_text(read.code, sizeof read.code, in->code);
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
