/* src/formats/htsim_cm.c - the connection matrix of htsim. */
#include "formats/htsim.h"

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

/* Until resolve(), triggers are the ids in the file; 0: none. */
struct cm_reader {
    struct tokens     words;
    struct flow_matrix *cm;
    bool             is_uet;     /* as uet-htsim reads it */
    uint32_t         conn_room, trigger_room;
    uint32_t         header[HEADERS], header_line[HEADERS];  /* line 0: not given */
};

enum option { ID, START, TRIGGER, SIZE, SEND_DONE, RECV_DONE, PRIO, OPTIONS };

static const char *const option_names[] = {
    "id", "start", "trigger", "size", "send_done_trigger", "recv_done_trigger", "prio", NULL,
};

static int name_index(const char *word, const char *const *names)
{
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], word) == 0)
            return i;
    return -1;
}

static int unknown_word(const struct tokens *w, const char *what, const char *const *names)
{
    char near[120];

    return tokens_err(w, EINVAL, "'%s' is not %s%s", w->word, what,
                      text_did_you_mean(near, sizeof near, w->word, names));
}

/* htsim's ids are never 0. */
static int read_id(struct tokens *w, const char *what, uint32_t *id)
{
    int rc = tokens_uint32(w, what, UINT32_MAX - 1, id);

    if (!rc && *id == 0)
        rc = tokens_err(w, EINVAL, "%s: 0 is not an id", what);
    return rc;
}

/* Reads picoseconds: an integer or, as some programs print them, "1250000.0" or "1.25e6". uet-htsim has
 * microseconds, of which it drops the fraction. */
static int read_start(struct cm_reader *r, uint64_t *start_ps)
{
    const char    *word = tokens_next(&r->words), *unit = r->is_uet ? "us" : "ps";
    const uint64_t scale = r->is_uet ? PS_PER_US : 1, most = START_PS_MAX / scale;
    double         real;
    bool           is_exact;

    if (!word)
        return tokens_err(&r->words, EINVAL, "nothing is given for start");
    is_exact = !r->is_uet && text_to_uint(word, start_ps, NULL) == 0;
    if (!is_exact && (strchr(word, '%') || text_to_real(word, &real, NULL)))
        return tokens_err(&r->words, EINVAL, "start: '%s' is not a number of %s", word,
                          r->is_uet ? "microseconds" : "picoseconds");
    if (is_exact ? *start_ps > most : !(real >= 0 && real <= (double)most))
        return tokens_err(&r->words, ERANGE, "start: %s is not within 0 .. %llu %s", word,
                          (unsigned long long)most, unit);
    if (!is_exact)
        *start_ps = (uint64_t)real * scale;
    return 0;
}

static int read_option(struct cm_reader *r, enum option option, struct matrix_conn *c)
{
    struct tokens *w = &r->words;
    uint32_t       ignored;

    switch (option) {
    case ID:        return read_id(w, "id", &c->id);
    case START:     return read_start(r, &c->start_ps);
    case TRIGGER:   return read_id(w, "trigger", &c->trigger);
    case SIZE:      return tokens_uint(w, "size", r->is_uet ? INT32_MAX : CONN_BYTES_MAX, &c->bytes);
    case SEND_DONE: return read_id(w, "send_done_trigger", &c->send_done);
    case RECV_DONE: return read_id(w, "recv_done_trigger", r->is_uet ? &ignored : &c->recv_done);
    case PRIO:      return tokens_uint32(w, "prio", UINT32_MAX, &ignored);
    case OPTIONS:   break;
    }
    return 0;
}

static int read_options(struct cm_reader *r, struct matrix_conn *c, uint32_t *given)
{
    struct tokens *w = &r->words;
    int            rc = 0;

    while (!rc && tokens_next(w)) {
        int option = name_index(w->word, option_names);

        if (option < 0)
            return unknown_word(w, "a word of a connection", option_names);
        if (*given & 1u << option)
            return tokens_err(w, EINVAL, "'%s' is given twice", option_names[option]);
        *given |= 1u << option;
        rc = read_option(r, (enum option)option, c);
    }
    return rc;
}

static int read_host(const struct tokens *w, const char *text, uint32_t nodes, uint32_t *host)
{
    uint64_t   number;
    struct err why;

    if (text_to_uint(text, &number, &why))
        return tokens_err(w, EINVAL, "a connection starts with src->dst: %s", why.text);
    if (number >= nodes)
        return tokens_err(w, EINVAL, "there is no host %llu among %u Nodes; the first is 0",
                         (unsigned long long)number, nodes);
    *host = (uint32_t)number;
    return 0;
}

static int read_ends(const struct cm_reader *r, struct matrix_conn *c)
{
    const struct tokens *w = &r->words;
    char                ends[TOKENS_BYTES], *arrow;
    int                 rc;

    if (!r->header_line[NODES])
        return tokens_err(w, EINVAL, "'Nodes' must be given before the first connection");
    memcpy(ends, w->word, sizeof ends);
    arrow = strstr(ends, "->");
    *arrow = '\0';
    rc = read_host(w, ends, r->header[NODES], &c->src);
    rc = rc ? rc : read_host(w, arrow + 2, r->header[NODES], &c->dst);
    if (!rc && c->src == c->dst)
        rc = tokens_err(w, EINVAL, "a connection from host %u to itself", c->src);
    return rc;
}

static int check_conn(const struct tokens *w, const struct matrix_conn *c, uint32_t given)
{
    if (!(given & 1u << SIZE))
        return tokens_err(w, EINVAL, "'size' is missing");
    if (c->bytes == 0)
        return tokens_err(w, ENOTSUP, "a size of 0 means without end, which is not modelled");
    if (!(given & (1u << START | 1u << TRIGGER)))
        return tokens_err(w, EINVAL, "'start' or 'trigger' is missing");
    if (given & 1u << START && given & 1u << TRIGGER)
        return tokens_err(w, EINVAL, "give 'start' or 'trigger', not both");
    return 0;
}

static int read_conn(struct cm_reader *r)
{
    struct tokens     *w = &r->words;
    struct flow_matrix  *cm = r->cm;
    struct matrix_conn c = { .line = w->line };
    uint32_t          given = 0;
    int               rc = read_ends(r, &c);

    rc = rc ? rc : read_options(r, &c, &given);
    rc = rc ? rc : check_conn(w, &c, given);
    if (!rc && cm->conns == HTSIM_CONNS_MAX)
        rc = tokens_err(w, ERANGE, "more than %u connections", HTSIM_CONNS_MAX);
    if (rc)
        return rc;
    cm->conn = xgrow(cm->conn, cm->conns, &r->conn_room, 64, sizeof *cm->conn);
    cm->conn[cm->conns++] = c;
    return 0;
}

static int read_trigger_words(struct tokens *w, struct matrix_trigger *t)
{
    static const char *const kinds[] = { "oneshot", "multishot", "barrier", NULL };
    static const char *const all[] = { "id", "count", "oneshot", "multishot", "barrier", NULL };
    bool                     has_kind = false;
    int                      rc = 0, kind;

    while (!rc && tokens_next(w)) {
        kind = name_index(w->word, kinds);
        if (kind >= 0 && has_kind)
            return tokens_err(w, EINVAL, "a trigger has one kind; '%s' is a second one", w->word);
        if (kind >= 0) {
            t->kind = (enum matrix_trigger_kind)kind;
            has_kind = true;
        } else if (strcmp(w->word, "id") == 0) {
            rc = read_id(w, "id", &t->id);
        } else if (strcmp(w->word, "count") == 0) {
            rc = tokens_uint32(w, "count", UINT32_MAX, &t->count);
        } else {
            return unknown_word(w, "a word of a trigger: id, oneshot, multishot, barrier or count", all);
        }
    }
    if (!rc && !has_kind)
        rc = tokens_err(w, EINVAL, "a trigger needs a kind: oneshot, multishot or barrier");
    return rc;
}

static int read_trigger(struct cm_reader *r)
{
    struct tokens        *w = &r->words;
    struct flow_matrix     *cm = r->cm;
    struct matrix_trigger t = { .line = w->line };
    int                  rc = read_trigger_words(w, &t);

    if (!rc && t.id == 0)
        rc = tokens_err(w, EINVAL, "the trigger has no id");
    if (!rc && t.kind == MATRIX_BARRIER && t.count == 0)
        rc = tokens_err(w, EINVAL, "a barrier needs 'count', how often it must be fired");
    if (!rc && cm->triggers == HTSIM_CONNS_MAX)
        rc = tokens_err(w, ERANGE, "more than %u triggers", HTSIM_CONNS_MAX);
    if (rc)
        return rc;
    cm->trigger = xgrow(cm->trigger, cm->triggers, &r->trigger_room, 64, sizeof *cm->trigger);
    cm->trigger[cm->triggers++] = t;
    return 0;
}

static int read_header(struct cm_reader *r)
{
    static const char *const firsts[] = { "Nodes", "Connections", "Triggers", "Failures", "trigger", NULL };
    struct tokens            *w = &r->words;
    int                      i = name_index(w->word, header_names), rc;

    if (i < 0)
        return unknown_word(w, "the start of a line: Nodes, Connections, Triggers, src->dst or trigger",
                            firsts);
    if (r->header_line[i])
        return tokens_err(w, EINVAL, "line %u gives '%s' already", r->header_line[i], header_names[i]);
    r->header_line[i] = w->line;
    rc = tokens_uint32(w, header_names[i], i == NODES ? GRAPH_NODES_MAX : HTSIM_CONNS_MAX, &r->header[i]);
    rc = rc ? rc : tokens_end(w);
    if (!rc && i == FAILURES && r->header[FAILURES])
        rc = tokens_err(w, ENOTSUP, "failures of links are not read from here; a scenario has 'links_down'");
    return rc;
}

static int read_cm_line(struct cm_reader *r)
{
    const char *word = tokens_next(&r->words);

    if (strstr(word, "->"))
        return read_conn(r);
    if (strcmp(word, "trigger") == 0)
        return read_trigger(r);
    return read_header(r);
}

static int check_count(struct cm_reader *r, enum header header, uint32_t found, const char *what)
{
    if (r->header[header] == found)
        return 0;
    if (r->header_line[header])
        r->words.line = r->header_line[header];
    return tokens_err(&r->words, EINVAL, "'%s' announces %u, but the file has %u %s%s",
                     header_names[header], r->header[header], found, what, found == 1 ? "" : "s");
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
static int sort_names(struct tokens *w, struct cm_name *name, uint32_t count, const char *what)
{
    if (count)
        qsort(name, count, sizeof *name, compare_names);
    for (uint32_t i = 1; i < count; i++)
        if (name[i].id && name[i].id == name[i - 1].id) {
            w->line = name[i].line;
            return tokens_err(w, EINVAL, "line %u has a %s with the id %u already", name[i - 1].line,
                             what, name[i].id);
        }
    return 0;
}

static int check_conn_ids(struct cm_reader *r)
{
    const struct flow_matrix *cm = r->cm;
    struct cm_name        *name = xmalloc((cm->conns + 1ul) * sizeof *name);
    int                    rc;

    for (uint32_t i = 0; i < cm->conns; i++)
        name[i] = (struct cm_name){ cm->conn[i].id, i, cm->conn[i].line };
    rc = sort_names(&r->words, name, cm->conns, "connection");
    free(name);
    return rc;
}

static int compare_id(const void *id_, const void *name_)
{
    uint32_t id = *(const uint32_t *)id_, other = ((const struct cm_name *)name_)->id;

    return id < other ? -1 : id > other;
}

/* Replaces a trigger's id by its index. */
static int resolve(struct cm_reader *r, const struct cm_name *name, uint32_t line, uint32_t *trigger)
{
    uint32_t              id = *trigger;
    const struct cm_name *found;

    *trigger = MATRIX_NO_TRIGGER;
    if (id == 0)
        return 0;
    found = bsearch(&id, name, r->cm->triggers, sizeof *name, compare_id);
    if (!found) {
        r->words.line = line;
        return tokens_err(&r->words, EINVAL, "there is no line 'trigger id %u'", id);
    }
    *trigger = found->index;
    return 0;
}

static int resolve_all(struct cm_reader *r)
{
    struct flow_matrix *cm = r->cm;
    struct cm_name  *name = xmalloc((cm->triggers + 1ul) * sizeof *name);
    int              rc;

    for (uint32_t i = 0; i < cm->triggers; i++)
        name[i] = (struct cm_name){ cm->trigger[i].id, i, cm->trigger[i].line };
    rc = sort_names(&r->words, name, cm->triggers, "trigger");
    for (uint32_t i = 0; i < cm->conns && !rc; i++) {
        struct matrix_conn *c = &cm->conn[i];

        rc = resolve(r, name, c->line, &c->trigger);
        rc = rc ? rc : resolve(r, name, c->line, &c->send_done);
        rc = rc ? rc : resolve(r, name, c->line, &c->recv_done);
    }
    free(name);
    return rc;
}

/* How often a trigger fires, and how many of the connections that wait for it have started. */
struct trigger_use { struct matrix_waiting waiting; uint32_t started, shots, fired; };

struct trigger_uses { struct trigger_use *of; struct matrix_waiting *waiting; };

static void add_shot(struct trigger_uses *u, uint32_t trigger)
{
    if (trigger != MATRIX_NO_TRIGGER)
        u->of[trigger].shots++;
}

static void uses_init(struct trigger_uses *u, const struct flow_matrix *cm)
{
    u->of = xcalloc(cm->triggers + 1ul, sizeof *u->of);
    u->waiting = flow_matrix_waiting(cm);
    for (uint32_t i = 0; i < cm->triggers; i++)
        u->of[i].waiting = u->waiting[i];
    for (uint32_t i = 0; i < cm->conns; i++) {
        add_shot(u, cm->conn[i].send_done);
        add_shot(u, cm->conn[i].recv_done);
    }
}

/* htsim fails an assertion, or waits forever, in the cases that this refuses. */
static int check_trigger(struct cm_reader *r, const struct matrix_trigger *t, const struct trigger_use *use)
{
    r->words.line = t->line;
    if (use->shots == 0)
        return tokens_err(&r->words, EINVAL, "no connection fires the trigger %u", t->id);
    switch (t->kind) {
    case MATRIX_ONESHOT:
        if (use->shots > 1)
            return tokens_err(&r->words, EINVAL, "the trigger %u is oneshot, but is fired %u times",
                             t->id, use->shots);
        if (use->waiting.count == 0)
            return tokens_err(&r->words, EINVAL, "no connection waits for the trigger %u", t->id);
        break;
    case MATRIX_MULTISHOT:
        if (use->shots < use->waiting.count)
            return tokens_err(&r->words, EINVAL,
                             "%u connections wait for the trigger %u, but it is fired %u times",
                             use->waiting.count, t->id, use->shots);
        break;
    case MATRIX_BARRIER:
        if (use->shots != t->count)
            return tokens_err(&r->words, EINVAL, "the barrier %u has a count of %u, but is fired %u times",
                              t->id, t->count, use->shots);
        break;
    }
    return 0;
}

/* Fires a trigger; appends the connections that it starts to the queue. */
static void fire_trigger(const struct flow_matrix *cm, struct trigger_uses *u, uint32_t trigger,
                         uint32_t *queue, uint32_t *queued)
{
    const struct matrix_trigger *t = &cm->trigger[trigger];
    struct trigger_use         *use = &u->of[trigger];
    uint32_t                    until = use->waiting.count;

    use->fired++;
    if (t->kind == MATRIX_MULTISHOT && use->started < use->waiting.count)
        until = use->started + 1;
    if (t->kind == MATRIX_BARRIER && use->fired < t->count)
        return;
    while (use->started < until)
        queue[(*queued)++] = use->waiting.conn[use->started++];
}

/* Simulates the start order: every connection ends as soon as it has started. Connections that do not start
 * here never will. The order of firing does not affect which connections a multishot starts. */
static int check_all_start(struct cm_reader *r, struct trigger_uses *u)
{
    const struct flow_matrix *cm = r->cm;
    uint32_t              *queue = xmalloc((cm->conns + 1ul) * sizeof *queue), queued = 0;
    bool                  *is_started = xcalloc(cm->conns + 1ul, sizeof *is_started);
    int                    rc = 0;

    for (uint32_t i = 0; i < cm->conns; i++)
        if (cm->conn[i].trigger == MATRIX_NO_TRIGGER)
            queue[queued++] = i;
    for (uint32_t i = 0; i < queued; i++) {
        const struct matrix_conn *c = &cm->conn[queue[i]];

        is_started[queue[i]] = true;
        if (c->send_done != MATRIX_NO_TRIGGER)
            fire_trigger(cm, u, c->send_done, queue, &queued);
        if (c->recv_done != MATRIX_NO_TRIGGER)
            fire_trigger(cm, u, c->recv_done, queue, &queued);
    }
    for (uint32_t i = 0; i < cm->conns && queued < cm->conns && !rc; i++)
        if (!is_started[i]) {
            r->words.line = cm->conn[i].line;
            rc = tokens_err(&r->words, EINVAL, "this connection never starts: trigger %u waits in a cycle",
                            cm->trigger[cm->conn[i].trigger].id);
        }
    free(is_started);
    free(queue);
    return rc;
}

static int check_triggers(struct cm_reader *r)
{
    struct trigger_uses u;
    int                 rc = 0;

    uses_init(&u, r->cm);
    for (uint32_t i = 0; i < r->cm->triggers && !rc; i++)
        rc = check_trigger(r, &r->cm->trigger[i], &u.of[i]);
    rc = rc ? rc : check_all_start(r, &u);
    free(u.waiting);
    free(u.of);
    return rc;
}

static int read_cm(struct cm_reader *r)
{
    int rc = 0;

    while (!rc && tokens_next_line(&r->words))
        rc = read_cm_line(r);
    if (!rc && (!r->header_line[NODES] || r->header[NODES] == 0))
        rc = tokens_err(&r->words, EINVAL, "'Nodes', the number of hosts, is missing");
    rc = rc ? rc : check_count(r, CONNECTIONS, r->cm->conns, "connection");
    rc = rc ? rc : check_count(r, TRIGGERS, r->cm->triggers, "trigger");
    rc = rc ? rc : check_conn_ids(r);
    rc = rc ? rc : resolve_all(r);
    rc = rc ? rc : check_triggers(r);
    r->cm->nodes = r->header[NODES];
    return rc;
}

static int read_matrix(const char *path, const char *text, bool is_uet, struct flow_matrix *cm,
                       struct err *err)
{
    struct flow_matrix made = { 0 };
    struct cm_reader   r = { .cm = &made, .is_uet = is_uet };
    int                rc = tokens_open(&r.words, path, text, CM_BYTES_MAX, err);

    rc = rc ? rc : read_cm(&r);
    tokens_close(&r.words);
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
