/* peers/htsim_cm.c - the connection matrix of htsim. */
#include "peers/htsim.h"

#include "base/text.h"
#include "core/units.h"
#include "base/tokens.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define CM_BYTES_MAX   (1ul << 34)
#define CONN_BYTES_MAX (1ull << 48)
#define START_PS_MAX   (1000000 * PS_PER_S)

/* ---- lines ---- */

enum header { NODES, CONNECTIONS, TRIGGERS, FAILURES, HEADERS };

static const char *const header_names[] = { "Nodes", "Connections", "Triggers", "Failures", NULL };

/* Until resolve_ids(), triggers are the ids in the file; 0: none. */
struct cm_reader {
    struct tokens     words;
    struct flow_matrix *cm;
    bool             is_uet;     /* as uet-htsim reads it */
    uint32_t         conn_room, trigger_room;
    uint32_t         header[HEADERS], header_line[HEADERS];  /* line 0: not given */
};

enum option { ID, START, TRIGGER, SIZE, SEND_DONE, RECV_DONE, PRIO };

static const char *const option_names[] = {
    "id", "start", "trigger", "size", "send_done_trigger", "recv_done_trigger", "prio", NULL,
};

/* htsim's ids are never 0. */
static void read_id(struct tokens *w, const char *what, uint32_t *id)
{
    tokens_uint32(w, what, UINT32_MAX - 1, id);
    if (*id == 0)
        tokens_err(w, EINVAL, "%s: 0 is not an id", what);
}

/* Reads picoseconds: an integer or, as some programs print them, "1250000.0" or "1.25e6". uet-htsim has
 * microseconds, of which it drops the fraction. */
static void read_start(struct cm_reader *r, uint64_t *start_ps)
{
    const char    *word = tokens_need(&r->words, "start"), *unit = r->is_uet ? "us" : "ps";
    const uint64_t scale = r->is_uet ? PS_PER_US : 1, most = START_PS_MAX / scale;
    double         real = 0;

    if (!word)
        return;
    bool is_exact = !r->is_uet && text_to_uint(word, start_ps, NULL) == 0;
    if (!is_exact && (strchr(word, '%') || text_to_real(word, &real, NULL)))
        tokens_err(&r->words, EINVAL, "start: '%s' is not a number of %s", word,
                   r->is_uet ? "microseconds" : "picoseconds");
    if (is_exact ? *start_ps > most : !(real >= 0 && real <= (double)most))
        tokens_err(&r->words, ERANGE, "start: %s is not within 0 .. %llu %s", word, (unsigned long long)most,
                   unit);
    else if (!is_exact)
        *start_ps = (uint64_t)real * scale;
}

static void read_option(struct cm_reader *r, enum option option, struct matrix_conn *c)
{
    struct tokens *w = &r->words;
    uint32_t       ignored = 0;

    switch (option) {
    case ID:        read_id(w, "id", &c->id); break;
    case START:     read_start(r, &c->start_ps); break;
    case TRIGGER:   read_id(w, "trigger", &c->trigger); break;
    case SIZE:      tokens_uint(w, "size", r->is_uet ? INT32_MAX : CONN_BYTES_MAX, &c->bytes); break;
    case SEND_DONE: read_id(w, "send_done_trigger", &c->send_done); break;
    case RECV_DONE: read_id(w, "recv_done_trigger", r->is_uet ? &ignored : &c->recv_done); break;
    case PRIO:      tokens_uint32(w, "prio", UINT32_MAX, &ignored); break;
    }
}

/* Returns the bits of the options that are given. */
static uint32_t read_options(struct cm_reader *r, struct matrix_conn *c)
{
    struct tokens *w = &r->words;
    uint32_t       given = 0;

    while (tokens_next(w)) {
        int option = text_index(w->word, option_names);

        if (option < 0) {
            tokens_refuse_name(w, "a word of a connection", option_names);
            break;
        }
        if (given & 1u << option)
            tokens_err(w, EINVAL, "'%s' is given twice", option_names[option]);
        given |= 1u << option;
        read_option(r, (enum option)option, c);
    }
    return given;
}

static uint32_t read_host(struct tokens *w, const char *text, uint32_t nodes)
{
    uint64_t   number = 0;
    struct err why;

    if (text_to_uint(text, &number, &why))
        tokens_err(w, EINVAL, "a connection starts with src->dst: %s", why.text);
    if (number >= nodes)
        tokens_err(w, EINVAL, "there is no host %llu among %u Nodes; the first is 0",
                   (unsigned long long)number, nodes);
    return (uint32_t)number;
}

static void read_ends(struct cm_reader *r, struct matrix_conn *c)
{
    struct tokens *w = &r->words;
    char           ends[TOKENS_BYTES];

    if (!r->header_line[NODES])
        tokens_err(w, EINVAL, "'Nodes' must be given before the first connection");
    memcpy(ends, w->word, sizeof ends);
    char *arrow = strstr(ends, "->");
    *arrow = '\0';
    c->src = read_host(w, ends, r->header[NODES]);
    c->dst = read_host(w, arrow + 2, r->header[NODES]);
    if (c->src == c->dst)
        tokens_err(w, EINVAL, "a connection from host %u to itself", c->src);
}

static void read_conn(struct cm_reader *r)
{
    struct tokens      *w = &r->words;
    struct flow_matrix *cm = r->cm;
    struct matrix_conn  c = { .line = w->line };

    read_ends(r, &c);
    uint32_t given = read_options(r, &c);
    if (!(given & 1u << SIZE))
        tokens_err(w, EINVAL, "'size' is missing");
    if (c.bytes == 0)
        tokens_err(w, ENOTSUP, "a size of 0 means without end, which is not modelled");
    if (!(given & (1u << START | 1u << TRIGGER)))
        tokens_err(w, EINVAL, "'start' or 'trigger' is missing");
    if (given & 1u << START && given & 1u << TRIGGER)
        tokens_err(w, EINVAL, "give 'start' or 'trigger', not both");
    if (cm->conns == HTSIM_CONNS_MAX)
        tokens_err(w, ERANGE, "more than %u connections", HTSIM_CONNS_MAX);
    cm->conn = xgrow(cm->conn, cm->conns, &r->conn_room, 64, sizeof *cm->conn);
    cm->conn[cm->conns++] = c;
}

static void read_trigger(struct cm_reader *r)
{
    static const char *const all[] = { "id", "count", "oneshot", "multishot", "barrier", NULL };
    struct tokens           *w = &r->words;
    struct flow_matrix      *cm = r->cm;
    struct matrix_trigger    t = { .line = w->line };
    bool                     has_kind = false;

    while (tokens_next(w)) {
        int which = text_index(w->word, all);

        if (which < 0)
            tokens_refuse_name(w, "a word of a trigger: id, oneshot, multishot, barrier or count", all);
        else if (which == 0)
            read_id(w, "id", &t.id);
        else if (which == 1)
            tokens_uint32(w, "count", UINT32_MAX, &t.count);
        else if (has_kind)
            tokens_err(w, EINVAL, "a trigger has one kind; '%s' is a second one", w->word);
        else
            t.kind = (enum matrix_trigger_kind)(which - 2);
        has_kind |= which >= 2;
    }
    if (!has_kind)
        tokens_err(w, EINVAL, "a trigger needs a kind: oneshot, multishot or barrier");
    if (t.id == 0)
        tokens_err(w, EINVAL, "the trigger has no id");
    if (t.kind == MATRIX_BARRIER && t.count == 0)
        tokens_err(w, EINVAL, "a barrier needs 'count', how often it must be fired");
    if (cm->triggers == HTSIM_CONNS_MAX)
        tokens_err(w, ERANGE, "more than %u triggers", HTSIM_CONNS_MAX);
    cm->trigger = xgrow(cm->trigger, cm->triggers, &r->trigger_room, 64, sizeof *cm->trigger);
    cm->trigger[cm->triggers++] = t;
}

static void read_header(struct cm_reader *r)
{
    static const char *const firsts[] = { "Nodes", "Connections", "Triggers", "Failures", "trigger", NULL };
    struct tokens           *w = &r->words;
    int                      i = text_index(w->word, header_names);

    if (i < 0) {
        tokens_refuse_name(w, "the start of a line: Nodes, Connections, Triggers, src->dst or trigger",
                           firsts);
        return;
    }
    if (r->header_line[i])
        tokens_err(w, EINVAL, "line %u gives '%s' already", r->header_line[i], header_names[i]);
    r->header_line[i] = w->line;
    tokens_uint32(w, header_names[i], i == NODES ? GRAPH_NODES_MAX : HTSIM_CONNS_MAX, &r->header[i]);
    tokens_end(w);
    if (i == FAILURES && r->header[FAILURES])
        tokens_err(w, ENOTSUP, "failures of links are not read from here; a scenario has 'links_down'");
}

static void read_cm_line(struct cm_reader *r)
{
    const char *word = tokens_next(&r->words);

    if (strstr(word, "->"))
        read_conn(r);
    else if (strcmp(word, "trigger") == 0)
        read_trigger(r);
    else
        read_header(r);
}

static void check_count(struct cm_reader *r, enum header header, uint32_t found, const char *what)
{
    uint32_t line = r->header_line[header];

    if (r->header[header] != found)
        tokens_err_at(&r->words, line ? line : r->words.line, EINVAL,
                      "'%s' announces %u, but the file has %u %s%s", header_names[header], r->header[header],
                      found, what, found == 1 ? "" : "s");
}

/* ---- checks of the whole file ---- */

struct cm_name { uint32_t id, index, line; };

static int compare_names(const void *a_, const void *b_)
{
    const struct cm_name *a = a_, *b = b_;

    if (a->id != b->id)
        return a->id < b->id ? -1 : 1;
    return a->line < b->line ? -1 : a->line > b->line;
}

/* Sorts names by id. Id 0 means no id. */
static void sort_names(struct tokens *w, struct cm_name *name, uint32_t count, const char *what)
{
    qsort(name, count, sizeof *name, compare_names);
    for (uint32_t i = 1; i < count; i++)
        if (name[i].id && name[i].id == name[i - 1].id)
            tokens_err_at(w, name[i].line, EINVAL, "line %u has a %s with the id %u already",
                          name[i - 1].line, what, name[i].id);
}

static int compare_id(const void *id_, const void *name_)
{
    uint32_t id = *(const uint32_t *)id_, other = ((const struct cm_name *)name_)->id;

    return id < other ? -1 : id > other;
}

/* Replaces a trigger's id by its index. */
static void resolve(struct cm_reader *r, const struct cm_name *name, uint32_t line, uint32_t *trigger)
{
    const struct cm_name *found = bsearch(trigger, name, *trigger ? r->cm->triggers : 0, sizeof *name,
                                          compare_id);

    if (*trigger && !found)
        tokens_err_at(&r->words, line, EINVAL, "there is no line 'trigger id %u'", *trigger);
    *trigger = found ? found->index : MATRIX_NO_TRIGGER;
}

/* Refuses ids that are not unique, and replaces those of triggers. */
static void resolve_ids(struct cm_reader *r)
{
    struct flow_matrix *cm = r->cm;
    uint32_t            count = cm->conns > cm->triggers ? cm->conns : cm->triggers;
    struct cm_name     *name = xmalloc((count + 1ul) * sizeof *name);

    for (uint32_t i = 0; i < cm->conns; i++)
        name[i] = (struct cm_name){ cm->conn[i].id, i, cm->conn[i].line };
    sort_names(&r->words, name, cm->conns, "connection");
    for (uint32_t i = 0; i < cm->triggers; i++)
        name[i] = (struct cm_name){ cm->trigger[i].id, i, cm->trigger[i].line };
    sort_names(&r->words, name, cm->triggers, "trigger");
    for (uint32_t i = 0; i < cm->conns && !r->words.rc; i++) {
        struct matrix_conn *c = &cm->conn[i];

        resolve(r, name, c->line, &c->trigger);
        resolve(r, name, c->line, &c->send_done);
        resolve(r, name, c->line, &c->recv_done);
    }
    free(name);
}

/* How often a trigger is fired in all, and so far; and how many of the connections that wait for it have
 * started. */
struct trigger_use { uint32_t shots, fired, started; };

/* htsim fails an assertion, or waits forever, in the cases that this refuses. */
static void check_trigger(struct tokens *w, const struct matrix_trigger *t, uint32_t shots, uint32_t waiting)
{
    if (shots == 0)
        tokens_err_at(w, t->line, EINVAL, "no connection fires the trigger %u", t->id);
    else if (t->kind == MATRIX_ONESHOT && shots > 1)
        tokens_err_at(w, t->line, EINVAL, "the trigger %u is oneshot, but is fired %u times", t->id, shots);
    else if (t->kind == MATRIX_ONESHOT && waiting == 0)
        tokens_err_at(w, t->line, EINVAL, "no connection waits for the trigger %u", t->id);
    else if (t->kind == MATRIX_MULTISHOT && shots < waiting)
        tokens_err_at(w, t->line, EINVAL, "%u connections wait for the trigger %u, but it is fired %u times",
                      waiting, t->id, shots);
    else if (t->kind == MATRIX_BARRIER && shots != t->count)
        tokens_err_at(w, t->line, EINVAL, "the barrier %u has a count of %u, but is fired %u times", t->id,
                      t->count, shots);
}

/* Fires a trigger; appends the connections that it starts to the queue. */
static void fire_trigger(const struct matrix_trigger *t, const struct matrix_waiting *waiting,
                         struct trigger_use *use, uint32_t *queue, uint32_t *queued)
{
    uint32_t until = waiting->count;

    use->fired++;
    if (t->kind == MATRIX_MULTISHOT && use->started < waiting->count)
        until = use->started + 1;
    if (t->kind == MATRIX_BARRIER && use->fired < t->count)
        return;
    while (use->started < until)
        queue[(*queued)++] = waiting->conn[use->started++];
}

/* Simulates the start order: every connection ends as soon as it has started. Connections that do not start
 * here never will. The order of firing does not affect which connections a multishot starts. */
static void check_all_start(struct cm_reader *r, const struct matrix_waiting *waiting,
                            struct trigger_use *use)
{
    const struct flow_matrix *cm = r->cm;
    uint32_t                 *queue = xmalloc((cm->conns + 1ul) * sizeof *queue), queued = 0;
    bool                     *is_started = xcalloc(cm->conns + 1ul, sizeof *is_started);

    for (uint32_t i = 0; i < cm->conns; i++)
        if (cm->conn[i].trigger == MATRIX_NO_TRIGGER)
            queue[queued++] = i;
    for (uint32_t i = 0; i < queued; i++) {
        const uint32_t done[] = { cm->conn[queue[i]].send_done, cm->conn[queue[i]].recv_done };

        is_started[queue[i]] = true;
        for (int k = 0; k < 2; k++)
            if (done[k] != MATRIX_NO_TRIGGER)
                fire_trigger(&cm->trigger[done[k]], &waiting[done[k]], &use[done[k]], queue, &queued);
    }
    for (uint32_t i = 0; i < cm->conns; i++)
        if (!is_started[i])
            tokens_err_at(&r->words, cm->conn[i].line, EINVAL,
                          "this connection never starts: trigger %u waits in a cycle",
                          cm->trigger[cm->conn[i].trigger].id);
    free(is_started);
    free(queue);
}

static void check_triggers(struct cm_reader *r)
{
    const struct flow_matrix *cm = r->cm;
    struct matrix_waiting    *waiting = flow_matrix_waiting(cm);
    struct trigger_use       *use = xcalloc(cm->triggers + 1ul, sizeof *use);

    for (uint32_t i = 0; i < cm->conns; i++) {
        if (cm->conn[i].send_done != MATRIX_NO_TRIGGER)
            use[cm->conn[i].send_done].shots++;
        if (cm->conn[i].recv_done != MATRIX_NO_TRIGGER)
            use[cm->conn[i].recv_done].shots++;
    }
    for (uint32_t i = 0; i < cm->triggers; i++)
        check_trigger(&r->words, &cm->trigger[i], use[i].shots, waiting[i].count);
    if (!r->words.rc)
        check_all_start(r, waiting, use);
    free(waiting);
    free(use);
}

static int read_matrix(const char *path, const char *text, bool is_uet, struct flow_matrix *cm,
                       struct err *err)
{
    struct flow_matrix made = { 0 };
    struct cm_reader   r = { .cm = &made, .is_uet = is_uet };

    tokens_open(&r.words, path, text, CM_BYTES_MAX, err);
    while (tokens_next_line(&r.words))
        read_cm_line(&r);
    made.nodes = r.header[NODES];
    if (made.nodes == 0)
        tokens_err(&r.words, EINVAL, "'Nodes', the number of hosts, is missing");
    check_count(&r, CONNECTIONS, made.conns, "connection");
    check_count(&r, TRIGGERS, made.triggers, "trigger");
    if (!r.words.rc)
        resolve_ids(&r);
    if (!r.words.rc)
        check_triggers(&r);
    int rc = tokens_close(&r.words);
    if (rc)
        flow_matrix_fini(&made);
    else
        *cm = made;
    return rc;
}

int htsim_read_cm(const char *path, const char *text, struct flow_matrix *cm, struct err *err)
{
    return read_matrix(path, text, false, cm, err);
}

int htsim_read_uet_cm(const char *path, const char *text, struct flow_matrix *cm, struct err *err)
{
    return read_matrix(path, text, true, cm, err);
}
