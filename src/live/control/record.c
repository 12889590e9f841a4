#include "live/control/record.h"
#include "base/print/safe.h"
#include "live/core/knobset.h"
#include "live/wire/codec.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define DUMP (JSON_COMPACT | JSON_REAL_PRECISION(17))

/* ---- the configuration ---- */

enum field_kind { FIELD_U32, FIELD_U64, FIELD_DOUBLE, FIELD_BOOL };

#define FIELD(name, kind) { #name, kind, offsetof(struct controller_config, name) }

static const struct { const char *name; enum field_kind kind; size_t offset; } fields[] = {
    FIELD(id, FIELD_U32), FIELD(mode, FIELD_U32), FIELD(interval_us, FIELD_U64), FIELD(gather_us, FIELD_U64),
    FIELD(dispatch_us, FIELD_U64), FIELD(answer_us, FIELD_U64), FIELD(stale_intervals, FIELD_U32),
    FIELD(block_length, FIELD_U32), FIELD(burn_in, FIELD_U32), FIELD(aa_pairs, FIELD_U32),
    FIELD(stage_pairs, FIELD_U32), FIELD(halves_intervals_max, FIELD_U32), FIELD(soak_intervals, FIELD_U32),
    FIELD(accept_e, FIELD_DOUBLE), FIELD(bound_e, FIELD_DOUBLE), FIELD(reject_e, FIELD_DOUBLE),
    FIELD(harm, FIELD_DOUBLE), FIELD(hold_back, FIELD_DOUBLE), FIELD(lost_max, FIELD_DOUBLE),
    FIELD(reverts_max, FIELD_U32), FIELD(window_us, FIELD_U64), FIELD(pause_us, FIELD_U64),
    FIELD(drill_every_us, FIELD_U64), FIELD(seed, FIELD_U64), FIELD(lets_queues, FIELD_BOOL),
};

_Static_assert(sizeof(enum controller_mode) == sizeof(uint32_t), "a mode is written as a number");

#define FIELDS (sizeof fields / sizeof *fields)

static json_t *config_json(const struct controller_config *c)
{
    json_t *o = JSON_OF({ "name", json_of_text(c->name) });

    for (size_t i = 0; i < FIELDS; i++) {
        const void *at = (const char *)c + fields[i].offset;
        json_t     *value = fields[i].kind == FIELD_U32 ? json_of_count(*(const uint32_t *)at) :
                            fields[i].kind == FIELD_DOUBLE ? json_of_number(*(const double *)at) :
                            fields[i].kind == FIELD_BOOL ? json_boolean(*(const bool *)at) :
                            json_of_seed(*(const uint64_t *)at);

        json_object_set_new(o, fields[i].name, value);
    }
    return o;
}

static void take_config(struct controller_config *c, const json_t *o)
{
    snprintf(c->name, sizeof c->name, "%s", json_get_text(o, "name"));
    for (size_t i = 0; i < FIELDS; i++) {
        const json_t *value = json_object_get(o, fields[i].name);
        void         *at = (char *)c + fields[i].offset;

        if (fields[i].kind == FIELD_U32)
            *(uint32_t *)at = (uint32_t)json_integer_value(value);
        else if (fields[i].kind == FIELD_DOUBLE)
            *(double *)at = json_number_value(value);
        else if (fields[i].kind == FIELD_BOOL)
            *(bool *)at = json_is_true(value);
        else
            *(uint64_t *)at = json_is_string(value) ? strtoull(json_string_value(value), NULL, 10) :
                              (uint64_t)json_integer_value(value);
    }
}

/* ---- a digest of actions: FNV-1a ---- */

static uint64_t mix(uint64_t h, const void *bytes, size_t length)
{
    for (const unsigned char *b = bytes; length--; b++)
        h = (h ^ *b) * 0x100000001b3;
    return h;
}

static uint64_t mix_text(uint64_t h, const char *text)
{
    return mix(h, text, strlen(text) + 1);
}

static uint64_t mix_json(uint64_t h, json_t *o)
{
    char *text = o ? json_dumps(o, DUMP | JSON_SORT_KEYS) : NULL;

    h = mix_text(h, text ? text : "");
    free(text);
    return h;
}

static uint64_t mix_set(uint64_t h, const struct knob_set *set)
{
    json_t *o = knobset_json(set);

    h = mix_json(h, o);
    json_decref(o);
    return h;
}

static uint64_t mix_record(uint64_t h, const struct action_record *r)
{
    h = mix_text(mix_text(mix_text(h, r->who), r->what), r->evidence);
    h = mix(mix(h, &r->term, sizeof r->term), &r->change, sizeof r->change);
    return mix_set(mix_set(h, &r->old), &r->new);
}

static uint64_t digest_of(const struct actions *actions)
{
    static unsigned char bytes[CODEC_BYTES_MAX];
    uint64_t             h = 0xcbf29ce484222325;

    for (uint32_t i = 0; i < actions->count; i++) {
        const struct action *a = &actions->action[i];
        uint64_t             number[] = { a->kind, a->link, a->number, a->is_kept,
                                          a->learn ? a->learn->rows : 0 };

        h = mix_text(mix(h, number, sizeof number), a->why);
        if (a->kind == ACTION_SEND)
            h = mix(h, bytes, codec_write(&a->msg, bytes));
        else if (a->kind == ACTION_RECORD)
            h = mix_record(h, &a->record);
        else if (a->kind == ACTION_STORE)
            h = mix_json(h, a->state);
    }
    return mix(h, &actions->rc, sizeof actions->rc);
}

/* ---- inputs ---- */

static const char *const names[INPUTS] = {
    [INPUT_START] = "start", [INPUT_FENCE] = "fence", [INPUT_LINK] = "link", [INPUT_CUT] = "cut",
    [INPUT_MSG] = "msg", [INPUT_TICK] = "tick", [INPUT_STORED] = "stored", [INPUT_PROPOSAL] = "proposal",
    [INPUT_ORDER] = "order", [INPUT_CONFIG] = "config", [INPUT_ABORT] = "abort", [INPUT_NOTE] = "note",
    [INPUT_LET] = "let",
};

static json_t *msg_json(const struct msg *m)
{
    static unsigned char bytes[CODEC_BYTES_MAX];
    static char          text[2 * CODEC_BYTES_MAX + 1];
    size_t               length = codec_write(m, bytes);

    for (size_t i = 0; i < length; i++)
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    return json_stringn(text, 2 * length);
}

static json_t *order_json(const struct order *o)
{
    return JSON_OF({ "kind", json_of_count(o->kind) }, { "who", json_of_text(o->who) },
                   { "why", json_of_text(o->why) }, { "device", json_of_text(o->device ? o->device : "") },
                   { "code", json_of_text(o->code ? o->code : "") }, { "number", json_of_seed(o->number) });
}

static json_t *input_json(const struct input *in, uint64_t now_us)
{
    json_t *o = JSON_OF({ "in", json_of_text(names[in->kind]) }, { "us", json_of_count(now_us) },
                        { "wall", json_of_count(in->wall_us) });

    if (in->link)
        json_put_count(o, "link", in->link);
    if (in->rc)
        json_object_set_new(o, "rc", json_integer(in->rc));
    if (in->is_brief)
        json_object_set_new(o, "brief", json_true());
    if (in->is_held)
        json_object_set_new(o, "held", json_true());
    if (in->number)
        json_object_set_new(o, "number", json_of_seed(in->number));
    if (in->at_us)
        json_put_count(o, "at", in->at_us);
    if (in->text)
        json_object_set_new(o, "text", json_of_text(in->text));
    if (in->what)
        json_object_set_new(o, "what", json_of_text(in->what));
    if (in->msg)
        json_object_set_new(o, "msg", msg_json(in->msg));
    if (in->set)
        json_object_set_new(o, "set", knobset_json(in->set));
    if (in->order)
        json_object_set_new(o, "order", order_json(in->order));
    if (in->config)
        json_object_set_new(o, "config", config_json(in->config));
    return o;
}

/* ---- recording ---- */

/* Whole lines: a record of a controller that was killed can be replayed. */
static void put_line(struct record *r, json_t *o)
{
    errno = 0;
    if (!r->error && (json_dumpf(o, r->file, DUMP) || putc('\n', r->file) == EOF || fflush(r->file)))
        r->error = errno ? errno : EIO;
    json_decref(o);
}

int record_open(struct record *r, const char *path, const struct controller_config *c, uint32_t peers,
                struct err *err)
{
    *r = (struct record){ .file = fopen(path, "wxe") };
    if (!r->file)
        return err_set(err, errno, "%s: %s", path, strerror(errno));
    put_line(r, JSON_OF({ "record", json_of_count(1) }, { "peers", json_of_count(peers) },
                        { "config", config_json(c) }));
    return 0;
}

int record_close(struct record *r)
{
    if (r->file && fclose(r->file) && !r->error)
        r->error = errno;
    r->file = NULL;
    return -r->error;
}

void record_step(struct record *r, const struct input *in, uint64_t now_us, const struct actions *actions)
{
    json_t *o;
    char    digest[17];

    r->steps++;
    if (r->error)
        return;
    o = input_json(in, now_us);
    snprintf(digest, sizeof digest, "%016" PRIx64, digest_of(actions));
    JSON_PUT(o, { "count", json_of_count(actions->count) }, { "digest", json_of_text(digest) });
    put_line(r, o);
}

/* ---- replaying ---- */

/* What the fields of an input point to. */
struct holder {
    struct msg               msg;
    struct msg_detail        detail;
    struct msg_learn         learn;
    struct knob_set          set;
    struct order             order;
    struct controller_config config[2];          /* the one that is in use stays */
    uint32_t                 configs;
};

static uint64_t count_of(const json_t *o, const char *key)
{
    const json_t *value = json_object_get(o, key);

    return json_is_string(value) ? strtoull(json_string_value(value), NULL, 10) :
           (uint64_t)json_integer_value(value);
}

static bool take_msg(struct holder *h, const char *hex)
{
    static unsigned char bytes[CODEC_BYTES_MAX];
    size_t               length = strlen(hex) / 2;
    unsigned             byte;

    for (size_t i = 0; i < length && i < sizeof bytes; i++) {
        if (sscanf(hex + 2 * i, "%2x", &byte) != 1)
            return false;
        bytes[i] = (unsigned char)byte;
    }
    return length <= sizeof bytes && codec_read_all(&h->msg, &h->detail, &h->learn, bytes, length) == 0;
}

static bool take_order(struct order *to, const json_t *o)
{
    *to = (struct order){ json_get_text(o, "who"), json_get_text(o, "why"),
                          (enum order_kind)count_of(o, "kind"), json_get_text(o, "device"),
                          json_get_text(o, "code"), count_of(o, "number") };
    return count_of(o, "kind") < ORDERS;
}

/* Points into the line and the holder. False: not a line of a record. */
static bool take_input(struct input *in, struct holder *h, const json_t *o)
{
    const json_t *msg = json_object_get(o, "msg"), *set = json_object_get(o, "set"),
                 *order = json_object_get(o, "order"), *config = json_object_get(o, "config");

    *in = (struct input){ .kind = INPUTS, .wall_us = count_of(o, "wall"), .at_us = count_of(o, "at"),
                          .link = (uint32_t)count_of(o, "link"), .number = count_of(o, "number"),
                          .rc = (int)json_integer_value(json_object_get(o, "rc")),
                          .is_brief = json_is_true(json_object_get(o, "brief")),
                          .is_held = json_is_true(json_object_get(o, "held")),
                          .text = json_string_value(json_object_get(o, "text")),
                          .what = json_string_value(json_object_get(o, "what")) };
    for (int i = 0; i < INPUTS; i++)
        if (strcmp(names[i], json_get_text(o, "in")) == 0)
            in->kind = (enum input_kind)i;
    in->msg = msg ? &h->msg : NULL;
    in->set = set ? &h->set : NULL;
    in->order = order ? &h->order : NULL;
    if (config) {
        struct controller_config *to = &h->config[++h->configs % 2];

        take_config(to, config);
        in->config = to;
    }
    return in->kind != INPUTS && (!msg || take_msg(h, json_get_text(o, "msg"))) &&
           (!set || knobset_from_json(&h->set, set) == 0) && (!order || take_order(&h->order, order));
}

/* Has it what its kind needs, and is it this one's turn? */
static bool is_due(const struct controller *c, const struct input *in)
{
    bool is_answer = in->kind == INPUT_STORED || in->kind == INPUT_PROPOSAL,
         is_whole = in->kind == INPUT_MSG ? in->msg != NULL : in->kind == INPUT_ORDER ? in->order != NULL :
                    in->kind == INPUT_CONFIG ? in->config && c->trial.phase == TRIAL_NONE :
                    in->kind == INPUT_NOTE ? in->what && in->text :
                    in->kind == INPUT_START ? in->text && in->what :
                    in->kind == INPUT_ABORT ? in->text != NULL :
                    in->kind == INPUT_PROPOSAL ? !in->set || in->text :
                    in->kind == INPUT_FENCE ? c->role == ROLE_GATHER : true;

    return is_whole && (c->is_storing ? in->kind == INPUT_STORED :
                        c->is_asking ? in->kind == INPUT_PROPOSAL : !is_answer);
}

static void print_records(FILE *to, const struct actions *actions, uint64_t now_us)
{
    char set[1000];

    for (uint32_t i = 0; i < actions->count; i++) {
        const struct action *a = &actions->action[i];

        if (a->kind != ACTION_RECORD)
            continue;
        bool has_set = !knobset_is_empty(&a->record.new);
        safe_printf(to, "%.3f s %s: %s%s%s%s%s%s%s", (double)now_us / 1e6, a->record.who, a->record.what,
                    has_set ? " " : "", has_set ? knobset_text(set, sizeof set, &a->record.new) : "",
                    *a->why ? ": " : "", a->why, *a->record.evidence ? "; " : "", a->record.evidence);
        putc('\n', to);
    }
}

static int replay_line(struct controller *c, struct holder *h, struct actions *actions, const json_t *o,
                       FILE *to, struct err *err)
{
    struct input in;
    char         digest[17];
    uint64_t     now_us = count_of(o, "us");

    if (!take_input(&in, h, o) || !is_due(c, &in))
        return err_set(err, EBADMSG, "it is not an input of a controller");
    controller_step(c, &in, now_us, actions);
    snprintf(digest, sizeof digest, "%016" PRIx64, digest_of(actions));
    if (to)
        print_records(to, actions, now_us);
    if (strcmp(digest, json_get_text(o, "digest")) == 0)
        return 0;
    return err_set(err, EILSEQ, "after this input other actions follow than were recorded: %u, and %" PRIu64
                   " then", actions->count, count_of(o, "count"));
}

static int replay(FILE *file, const char *path, FILE *to, uint64_t *steps, struct err *err)
{
    struct holder    *h = xcalloc(1, sizeof *h);
    struct controller c = { .peer = NULL };
    struct actions    actions = { 0 };
    struct err        why = { "" };
    json_t           *o = json_loadf(file, JSON_DISABLE_EOF_CHECK, NULL);
    int               rc = 0;

    if (count_of(o, "record") != 1)
        rc = err_set(&why, EBADMSG, "it is not a record of a controller");
    else {
        take_config(&h->config[0], json_object_get(o, "config"));
        controller_init(&c, &h->config[0], (uint32_t)count_of(o, "peers"));
    }
    json_decref(o);
    for (*steps = 0; !rc && (o = json_loadf(file, JSON_DISABLE_EOF_CHECK, NULL)) != NULL; ++*steps) {
        rc = replay_line(&c, h, &actions, o, to, &why);
        json_decref(o);
    }
    if (!rc && !feof(file))
        rc = err_set(&why, EBADMSG, "the line is not JSON");
    if (rc)
        err_write(err, "%s:%" PRIu64 ":1: %s", path, *steps + 1, why.text);
    controller_fini(&c);
    actions_fini(&actions);
    free(h);
    return rc;
}

int record_replay(const char *path, FILE *to, uint64_t *steps, struct err *err)
{
    FILE *file = fopen(path, "re");

    if (!file)
        return err_set(err, errno, "%s: %s", path, strerror(errno));
    int rc = replay(file, path, to, steps, err);
    fclose(file);
    return rc;
}
