#include "live/wire/codec.h"
#include "base/err.h"

#include <anole.pb-c.h>
#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Our numbers are those of the .proto. */
_Static_assert((int)MSG_THAW == ANOLE__V1__KIND__THAW && (int)MSG_RACK == ANOLE__V1__KIND__RACK &&
               (int)MSG_QUEUES == ANOLE__V1__KIND__QUEUES &&
               (int)MSG_DRILL == ANOLE__V1__KIND__DRILL && (int)MSG_LEARN == ANOLE__V1__KIND__LEARN, "kinds");
_Static_assert((int)ANSWER_THAWED == ANOLE__V1__RESULT__THAWED && ANSWER_KINDS == 8, "answers");
_Static_assert(MSG_UNKNOWN(tx_bytes) == 1 && MSG_UNKNOWN(cnps) == 2 && MSG_UNKNOWN(marked_packets) == 4 &&
               MSG_UNKNOWN(retransmissions) == 8 && MSG_UNKNOWN(lossless_drops) == 16 &&
               MSG_UNKNOWN(watchdog) == 32, "unknown");
_Static_assert((int)PHASE_APPLIED == ANOLE__V1__PHASE__IS_APPLIED &&
               (int)KNOB_SWITCH == ANOLE__V1__WHERE__SWITCH, "phases");

/* Fields that have the same name and meaning in our structs and in the .proto, for both directions. */
#define COPY(field) to->field = from->field;
#define COPY_FROM_FACTS(field) to->field = from->facts.field;
#define COPY_TO_FACTS(field) to->facts.field = from->field;
#define SAMPLE_FIELDS(X) X(interval_us) X(rate_bps)          /* and counters */
#define PORT_FIELDS(X) \
    X(tx_bytes) X(rate_bps) X(pauses) X(paused_ps) X(marked_packets) X(queue_bytes) X(has_queue)
#define PAIR_FIELDS(X) X(peer) X(base_rtt_ps) X(rtt_ps_sum) X(rtt_samples) X(rtt_ps_last)
#define HELLO_FIELDS(X) X(version) X(may_write) X(gap_us) X(interval_us)
#define FACT_FIELDS(X) X(number) X(ports) X(rate_bps) X(base_rtt_ps) X(pfc_bytes_one) X(pfc_bytes_two)
#define SELF_FIELDS(X) X(queues) X(moved) X(decisions) X(changes) X(net)
#define LEARN_FIELDS(X) X(version) X(seed) X(checksum)
#define JOB_FIELDS(X) X(bytes) X(messages) X(firsts) X(pairs) X(local) X(pauses) X(pause_ps)
#define SEEN_FIELDS(X) \
    X(local_bytes) X(chance_bytes) X(chance_squares) X(chain_tiny) X(chain_ps) X(bursts) X(burst_messages) \
    X(burst_bytes)
#define MESSAGE_FIELDS(X) X(term) X(incarnation) X(change) X(stamp_us) X(at_us) X(is_frozen) X(is_broken) \
    X(is_unreadable)

/* On the wire a paused time that is not known is a bit of 'unknown'; in a sample it is NAN. Counters that were
 * added later have a bit of 'known' instead: agents that lack them send none. */
#define UNKNOWN_PAUSED (1ull << MSG_PAUSED_BIT)
#define FIRST_COUNTERS (UNKNOWN_PAUSED - 1)
#define LATER_COUNTERS (MSG_UNKNOWN_ALL & ~FIRST_COUNTERS)

static uint64_t wire_unknown(const struct msg_sample *s)
{
    return (s->unknown & FIRST_COUNTERS) | (isnan(s->paused) ? UNKNOWN_PAUSED : 0);
}

/* A brief report has no counters. */
static uint64_t wire_known(const struct msg_sample *s)
{
    return s->is_brief ? 0 : LATER_COUNTERS & ~s->unknown;
}

static uint64_t unknown_of(uint64_t unknown, uint64_t known)
{
    return (unknown & FIRST_COUNTERS) | (LATER_COUNTERS & ~known);
}

#define RACK_BYTES_MAX (4ul << 20)
#define AMOUNT_MAX     (1ull << 50)      /* of anything in an interval: sums of less do not overflow */

/* ---- building ----
 *
 * Messages to be written are built on the heap like those that protobuf-c has read, so that it frees both. */

static void *new_message(const ProtobufCMessageDescriptor *type)
{
    void *m = xmalloc(type->sizeof_message);

    protobuf_c_message_init(type, m);
    return m;
}

/* A list of new messages. */
static void *new_list(const ProtobufCMessageDescriptor *type, size_t count)
{
    void **list = xcalloc(count + 1, sizeof *list);

    for (size_t i = 0; i < count; i++)
        list[i] = new_message(type);
    return list;
}

static void *new_numbers(size_t count, size_t bytes)
{
    return xcalloc(count + 1, bytes);
}

static size_t write_and_free(ProtobufCMessage *m, unsigned char *bytes)
{
    size_t length = protobuf_c_message_pack(m, bytes);

    protobuf_c_message_free_unpacked(m, NULL);
    return length;
}

/* ---- statistics of messages (core/seen/seen.h) ---- */

_Static_assert(sizeof(struct seen_part_class) == 2 * sizeof(uint64_t), "a pair of numbers");
enum { CLASS_NUMBERS = 2 * PREDICT_CLASSES };

/* Nothing is sent if all numbers are 0. */
static uint64_t *new_classes(const struct seen_part_class in[PREDICT_CLASSES], size_t *count)
{
    uint64_t *list = xcopy(in, PREDICT_CLASSES, sizeof *in);

    for (size_t i = 0; i < CLASS_NUMBERS; i++)
        *count = list[i] ? CLASS_NUMBERS : *count;
    return list;
}

static Anole__V1__SeenJob *new_job(const struct seen_part_job *from)
{
    Anole__V1__SeenJob *to = new_message(&anole__v1__seen_job__descriptor);

    JOB_FIELDS(COPY)
    return to;
}

static Anole__V1__Seen *new_seen(const struct seen_part *from)
{
    Anole__V1__Seen *to = new_message(&anole__v1__seen__descriptor);

    SEEN_FIELDS(COPY)
    to->n_bin = to->n_messages = to->n_excess = from->rows;
    to->bin = new_numbers(from->rows, sizeof *to->bin);
    to->messages = new_numbers(from->rows, sizeof *to->messages);
    to->excess = new_numbers(from->rows, sizeof *to->excess);
    for (uint32_t i = 0; i < from->rows; i++) {
        to->bin[i] = from->row[i].bin - (i ? from->row[i - 1].bin : 0);
        to->messages[i] = from->row[i].messages;
        to->excess[i] = seen_row_excess(&from->row[i]);
    }
    to->done = new_classes(from->done, &to->n_done);
    to->waiting = new_classes(from->waiting, &to->n_waiting);
    to->job = xcalloc(SEEN_JOBS, sizeof *to->job);
    for (; to->n_job < SEEN_JOBS && from->job[to->n_job].bytes; to->n_job++)
        to->job[to->n_job] = new_job(&from->job[to->n_job]);
    return to;
}

static bool take_seen_rows(struct seen_part *p, const Anole__V1__Seen *s)
{
    uint32_t bin = 0;
    uint64_t least;              /* bytes of a message */

    if (s->n_bin > (size_t)(SEEN_ROWS) || s->n_messages != s->n_bin || s->n_excess != s->n_bin)
        return false;
    for (size_t i = 0; i < s->n_bin; i++) {
        if (s->bin[i] >= SEEN_ROWS - bin || (i && !s->bin[i]) || !s->messages[i] || s->excess[i] > AMOUNT_MAX)
            return false;
        bin += s->bin[i];
        least = seen_bin_min(bin % SEEN_BINS);
        if (least && s->messages[i] > (AMOUNT_MAX - s->excess[i]) / least)
            return false;
        p->row[i] = (struct seen_row){ bin, s->messages[i], s->excess[i] + s->messages[i] * least };
    }
    p->rows = (uint32_t)s->n_bin;
    return true;
}

static bool take_classes(struct seen_part_class out[PREDICT_CLASSES], const uint64_t *in, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (count != CLASS_NUMBERS || in[i] > AMOUNT_MAX)
            return false;
    if (count)
        memcpy(out, in, CLASS_NUMBERS * sizeof *in);
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

        if (!from->bytes || from->bytes > AMOUNT_MAX || !from->messages ||
            from->messages > AMOUNT_MAX / from->bytes)
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

/* False: the values are impossible. */
static bool take_seen(struct seen_part *to, const Anole__V1__Seen *from)
{
    seen_part_clear(to);
    SEEN_FIELDS(COPY)
    to->chance_bytes = fabs(from->chance_bytes);         /* -0 becomes 0 */
    to->chance_squares = fabs(from->chance_squares);
    return is_amount(from->chance_bytes) && is_amount(from->chance_squares) &&
           from->local_bytes <= AMOUNT_MAX && from->burst_bytes <= AMOUNT_MAX &&
           from->burst_messages <= AMOUNT_MAX && from->bursts <= from->burst_messages &&
           take_seen_rows(to, from) && take_jobs(to, from) &&
           take_classes(to->done, from->done, from->n_done) &&
           take_classes(to->waiting, from->waiting, from->n_waiting);
}

/* Bins after the last that is not 0 are left out. */
static uint32_t *new_bins(const struct fsd *f, size_t *count)
{
    uint32_t *bin = new_numbers(FSD_BINS, sizeof *bin);

    for (size_t i = 0; i < FSD_BINS; i++) {
        bin[i] = f->bin[i] < UINT32_MAX ? (uint32_t)f->bin[i] : UINT32_MAX;
        *count = bin[i] ? i + 1 : *count;
    }
    return bin;
}

static bool take_bins(struct fsd *f, const uint32_t *bin, size_t count)
{
    *f = (struct fsd){ 0 };
    for (size_t i = 0; i < count && count <= FSD_BINS; i++)
        f->bin[i] = bin[i];
    return count <= FSD_BINS;
}

/* ---- writing ---- */

static Anole__V1__Knob **new_knobs(const struct knob_set *set, size_t *count)
{
    Anole__V1__Knob **list = xcalloc(KNOB_COUNT, sizeof(Anole__V1__Knob *));

    for (int i = 0; i < KNOB_COUNT; i++)
        if (set->is_named[i]) {
            Anole__V1__Knob *k = new_message(&anole__v1__knob__descriptor);

            k->name = xstrdup(knob_info[i].name);
            k->value = set->knobs.value[i];
            list[(*count)++] = k;
        }
    return list;
}

static void fill_port(Anole__V1__Port *to, const struct msg_port *from)
{
    PORT_FIELDS(COPY)
    to->name = xstrdup(from->name);
}

static void fill_pair(Anole__V1__Pair *to, const struct msg_pair *from)
{
    PAIR_FIELDS(COPY)
}

static void fill_detail(Anole__V1__Sample *to, const struct msg_detail *d)
{
    to->elephants = d->fsd.elephants;
    to->mice = d->fsd.mice;
    to->bin = new_bins(&d->fsd, &to->n_bin);
    to->n_port = d->ports;
    to->port = new_list(&anole__v1__port__descriptor, d->ports);
    for (uint32_t i = 0; i < d->ports; i++)
        fill_port(to->port[i], &d->port[i]);
    to->n_pair = d->pairs;
    to->pair = new_list(&anole__v1__pair__descriptor, d->pairs);
    for (uint32_t i = 0; i < d->pairs; i++)
        fill_pair(to->pair[i], &d->pair[i]);
    to->seen = d->has_seen ? new_seen(&d->seen) : NULL;
}

static Anole__V1__Sample *new_sample(const struct msg_sample *from)
{
    Anole__V1__Sample *to = new_message(&anole__v1__sample__descriptor);

    SAMPLE_FIELDS(COPY)
#define AGENT(name, ...) COPY(name)
#include "core/figures.def"
    to->unknown = wire_unknown(from);
    to->known = wire_known(from);
    to->paused = isnan(from->paused) ? 0 : (float)from->paused;
    to->has_metric = !isnan(from->metric);
    to->metric = to->has_metric ? (float)from->metric : 0;
    if (from->detail)
        fill_detail(to, from->detail);
    return to;
}

static char **new_names(const bool is_named[KNOB_COUNT], size_t *count)
{
    char **list = xcalloc(KNOB_COUNT, sizeof *list);

    for (int i = 0; i < KNOB_COUNT; i++)
        if (is_named[i])
            list[(*count)++] = xstrdup(knob_info[i].name);
    return list;
}

static Anole__V1__Hello *new_hello(const struct msg *from)
{
    Anole__V1__Hello *to = new_message(&anole__v1__hello__descriptor);

    HELLO_FIELDS(COPY)
    FACT_FIELDS(COPY_FROM_FACTS)
    to->name = xstrdup(from->name);
    to->where = (Anole__V1__Where)from->where;
    to->confirmed = new_knobs(&from->confirmed, &to->n_confirmed);
    to->baseline = new_knobs(&from->baseline, &to->n_baseline);
    to->fixed = new_names(from->is_fixed, &to->n_fixed);
    return to;
}

static Anole__V1__Self *new_self(const struct msg_self *from)
{
    Anole__V1__Self *to = new_message(&anole__v1__self__descriptor);

    SELF_FIELDS(COPY)
    to->allowed = from->is_allowed;
    to->training = from->is_training;
    return to;
}

static Anole__V1__Learn *new_learn(const struct msg_learn *from)
{
    Anole__V1__Learn *to = new_message(&anole__v1__learn__descriptor);

    assert(from->rows <= MSG_LEARN_ROWS_MAX && from->floats <= MSG_LEARN_FLOATS_MAX);
    LEARN_FIELDS(COPY)
    to->n_slot = to->n_queue = from->rows;
    to->slot = xcopy(from->slot, from->rows, sizeof *from->slot);
    to->queue = xcopy(from->queue, from->rows, sizeof *from->queue);
    to->n_value = from->floats;
    to->value = xcopy(from->value, from->floats, sizeof *from->value);
    return to;
}

static ProtobufCMessage *new_msg(const struct msg *from)
{
    Anole__V1__Message *to = new_message(&anole__v1__message__descriptor);

    MESSAGE_FIELDS(COPY)
    to->kind = (Anole__V1__Kind)from->kind;
    to->has_control = from->kind == MSG_LEASE && from->has_control;
    to->control = to->has_control ? (float)from->control : 0;
    to->brief = from->kind == MSG_LEASE ? from->is_brief : from->kind == MSG_REPORT && from->sample.is_brief;
    to->why = xstrdup(from->why);
    to->phase = (Anole__V1__Phase)from->phase;
    to->result = (Anole__V1__Result)from->answer;
    to->set = new_knobs(&from->set, &to->n_set);
    to->sample = from->kind == MSG_REPORT ? new_sample(&from->sample) : NULL;
    to->hello = from->kind == MSG_HELLO ? new_hello(from) : NULL;
    to->learn = from->kind == MSG_LEARN && from->learn ? new_learn(from->learn) : NULL;
    to->self = from->self.is_there ? new_self(&from->self) : NULL;
    return &to->base;
}

size_t codec_write(const struct msg *m, unsigned char *bytes)
{
    ProtobufCMessage *out = new_msg(m);

    assert(protobuf_c_message_get_packed_size(out) <= CODEC_BYTES_MAX);
    return write_and_free(out, bytes);
}

/* ---- reading ---- */

/* An agent of a later version may have knobs that are not known here: nobody asks for them. What it is asked
 * for must be known. */
static bool take_knobs(struct knob_set *set, Anole__V1__Knob *const *list, size_t count, bool is_wanted)
{
    for (size_t i = 0; i < count; i++) {
        enum knob knob = knob_find(list[i]->name);

        if (knob == KNOB_COUNT && !is_wanted)
            continue;
        if (knob == KNOB_COUNT || set->is_named[knob] || !isfinite(list[i]->value))
            return false;
        knob_set_add(set, knob, list[i]->value);
    }
    return true;
}

static void take_names(bool is_named[KNOB_COUNT], char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (knob_find(list[i]) != KNOB_COUNT)
            is_named[knob_find(list[i])] = true;
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
    SAMPLE_FIELDS(COPY)
#define AGENT(name, ...) COPY(name)
#include "core/figures.def"
    to->unknown = unknown_of(from->unknown, from->known);
    to->paused = from->unknown & UNKNOWN_PAUSED ? NAN : (double)from->paused;
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
    if (from->n_port > MSG_PORTS_MAX || from->n_pair > MSG_PAIRS_MAX ||
        !take_bins(&to->fsd, from->bin, from->n_bin))
        return false;
    to->fsd.elephants = from->elephants;
    to->fsd.mice = from->mice;
    to->ports = (uint32_t)from->n_port;
    for (size_t i = 0; i < from->n_port; i++)
        if (!take_port(&to->port[i], from->port[i]))
            return false;
    to->pairs = (uint32_t)from->n_pair;
    for (size_t i = 0; i < from->n_pair; i++)
        take_pair(&to->pair[i], from->pair[i]);
    to->has_seen = from->seen != NULL;
    return !from->seen || take_seen(&to->seen, from->seen);
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
    LEARN_FIELDS(COPY)
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

static bool take_hello(struct msg *to, const Anole__V1__Hello *from)
{
    HELLO_FIELDS(COPY)
    FACT_FIELDS(COPY_TO_FACTS)
    to->where = (enum knob_where)from->where;
    take_names(to->is_fixed, from->fixed, from->n_fixed);
    return (from->where == ANOLE__V1__WHERE__NIC || from->where == ANOLE__V1__WHERE__SWITCH) && *from->name &&
           take_text(to->name, sizeof to->name, from->name) &&
           take_knobs(&to->confirmed, from->confirmed, from->n_confirmed, false) &&
           take_knobs(&to->baseline, from->baseline, from->n_baseline, false);
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
    return take_text(to->why, sizeof to->why, from->why) &&
           take_knobs(&to->set, from->set, from->n_set, to->kind == MSG_PREPARE) &&
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

    if (!in)
        return -EBADMSG;
    read.version = in->version;
    read.number = in->number;
    bool is_good = take_text(read.verb, sizeof read.verb, in->verb) &&
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

/* ---- racks ---- */

/* Columns are the stamp, all counters, and which of them the device has. */
#define COLUMN_OF(name, field) { offsetof(Anole__V1__Rack, n_##name), offsetof(Anole__V1__Rack, name), \
                                 offsetof(struct rack_row, field) }
#define COLUMN(name) COLUMN_OF(name, sample.name),

static const struct column { size_t count, list, field; } columns[] = {
    COLUMN_OF(stamp_us, stamp_us), SAMPLE_FIELDS(COLUMN)
#define AGENT(name, ...) COLUMN(name)
#include "core/figures.def"
    COLUMN(unknown) COLUMN_OF(known, sample.unknown)
};
enum { COLUMNS = sizeof columns / sizeof *columns, COLUMN_UNKNOWN = COLUMNS - 2, COLUMN_KNOWN };

static size_t *count_of(Anole__V1__Rack *r, int column)
{
    return (void *)((char *)r + columns[column].count);
}

static uint64_t **list_of(Anole__V1__Rack *r, int column)
{
    return (void *)((char *)r + columns[column].list);
}

static uint64_t number_of(const struct rack_row *row, int column)
{
    uint64_t number;

    memcpy(&number, (const char *)row + columns[column].field, sizeof number);
    return column == COLUMN_UNKNOWN ? wire_unknown(&row->sample) :
           column == COLUMN_KNOWN ? wire_known(&row->sample) : number;
}

static void fill_rows(Anole__V1__Rack *to, const struct rack *from)
{
    size_t rows = from->rows;

    to->slot = new_numbers(rows, sizeof *to->slot);
    to->paused = new_numbers(rows, sizeof *to->paused);
    to->metric = new_numbers(rows, sizeof *to->metric);
    to->n_slot = to->n_metric = rows;
    for (size_t i = 0; i < rows; i++) {
        const struct msg_sample *s = &from->row[i].sample;

        to->slot[i] = from->row[i].slot;
        to->paused[i] = isnan(s->paused) ? 0 : (float)s->paused;
        to->metric[i] = isnan(s->metric) ? -1 : (float)s->metric;
        to->n_paused = s->paused > 0 ? rows : to->n_paused;
    }
    for (int c = 0; c < COLUMNS; c++) {
        uint64_t *list = *list_of(to, c) = new_numbers(rows, sizeof *list);

        for (size_t i = 0; i < rows; i++) {
            list[i] = number_of(&from->row[i], c);
            *count_of(to, c) = list[i] ? rows : *count_of(to, c);
        }
    }
}

static void fill_item(Anole__V1__Item *to, const struct rack_item *from)
{
    ProtobufCMessage *m = new_msg(&from->msg);

    to->slot = from->slot;
    to->message.data = xmalloc(protobuf_c_message_get_packed_size(m) + 1);
    to->message.len = write_and_free(m, to->message.data);
}

size_t rack_codec_write(const struct rack *r, unsigned char **bytes)
{
    Anole__V1__Message *out = new_message(&anole__v1__message__descriptor);
    Anole__V1__Rack    *to = out->rack = new_message(&anole__v1__rack__descriptor);

    out->kind = ANOLE__V1__KIND__RACK;
    to->life = r->life;
    to->number = r->number;
    to->term = r->term;
    fill_rows(to, r);
    to->elephants = r->fsd.elephants;
    to->mice = r->fsd.mice;
    to->bin = new_bins(&r->fsd, &to->n_bin);
    to->n_gone = r->gones;
    to->gone = xcopy(r->gone, r->gones, sizeof *r->gone);
    to->n_item = r->items;
    to->item = new_list(&anole__v1__item__descriptor, r->items);
    for (uint32_t i = 0; i < r->items; i++)
        fill_item(to->item[i], &r->item[i]);
    to->n_host_messages = r->messages_count;
    to->host_messages = new_list(&anole__v1__host_messages__descriptor, r->messages_count);
    for (uint32_t i = 0; i < r->messages_count; i++) {
        to->host_messages[i]->slot = r->messages[i].slot;
        to->host_messages[i]->seen = new_seen(&r->messages[i].part);
    }
    *bytes = xmalloc(anole__v1__message__get_packed_size(out) + 1);
    return write_and_free(&out->base, *bytes);
}

/* All encoders write the kind first. */
bool rack_codec_is(const unsigned char *bytes, size_t length)
{
    return length >= 2 && bytes[0] == 0x08 && bytes[1] == ANOLE__V1__KIND__RACK;
}

static bool take_rack_rows(struct rack *to, Anole__V1__Rack *from)
{
    for (int c = 0; c < COLUMNS; c++)
        if (*count_of(from, c) && *count_of(from, c) != from->n_slot)
            return false;
    if (from->n_slot > RACK_DEVICES_MAX || from->n_metric != from->n_slot ||
        (from->n_paused && from->n_paused != from->n_slot))
        return false;
    for (size_t i = 0; i < from->n_slot; i++) {
        struct rack_row *row = &to->row[i];
        float            paused = from->n_paused ? from->paused[i] : 0;

        uint64_t         unknown = from->n_unknown ? from->unknown[i] : 0;
        uint64_t         known = from->n_known ? from->known[i] : 0;

        *row = (struct rack_row){ .slot = from->slot[i] };
        for (int c = 0; c < COLUMN_UNKNOWN; c++)
            if (*count_of(from, c))
                memcpy((char *)row + columns[c].field, &(*list_of(from, c))[i], sizeof(uint64_t));
        row->sample.unknown = unknown_of(unknown, known);
        row->sample.paused = unknown & UNKNOWN_PAUSED ? NAN : (double)paused;
        row->sample.metric = from->metric[i] < 0 ? NAN : (double)from->metric[i];
        if (!(paused >= 0 && paused <= 1) || !(from->metric[i] <= 1))
            return false;
    }
    to->rows = (uint32_t)from->n_slot;
    return true;
}

static bool take_rest(struct rack *to, const Anole__V1__Rack *from)
{
    if (from->n_gone > RACK_DEVICES_MAX || from->n_item > 4ul * RACK_DEVICES_MAX ||
        from->n_host_messages > RACK_DEVICES_MAX || !take_bins(&to->fsd, from->bin, from->n_bin))
        return false;
    to->fsd.elephants = from->elephants;
    to->fsd.mice = from->mice;
    to->gones = (uint32_t)from->n_gone;
    for (size_t i = 0; i < from->n_gone; i++)
        to->gone[i] = from->gone[i];
    for (size_t i = 0; i < from->n_item; i++) {
        struct msg m;

        if (codec_read(&m, from->item[i]->message.data, from->item[i]->message.len))
            return false;
        rack_add(to, from->item[i]->slot, &m);
    }
    for (size_t i = 0; i < from->n_host_messages; i++) {
        const Anole__V1__HostMessages *m = from->host_messages[i];

        if (!m->seen || !take_seen(rack_add_messages(to, m->slot), m->seen))
            return false;
    }
    return true;
}

int rack_codec_read(struct rack *r, const unsigned char *bytes, size_t length)
{
    Anole__V1__Message *in = length <= RACK_BYTES_MAX ?
                             anole__v1__message__unpack(NULL, length, bytes) : NULL;
    bool                is_good = in && in->kind == ANOLE__V1__KIND__RACK && in->rack;

    rack_clear(r);
    if (is_good) {
        r->life = in->rack->life;
        r->number = in->rack->number;
        r->term = in->rack->term;
        is_good = r->term <= MSG_TERM_MAX && take_rack_rows(r, in->rack) && take_rest(r, in->rack);
    }
    if (in)
        anole__v1__message__free_unpacked(in, NULL);
    return is_good ? 0 : -EBADMSG;
}
