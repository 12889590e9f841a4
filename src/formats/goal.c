#include "formats/goal.h"

#include "base/file/mapped.h"
#include "core/units.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC        4223u
#define MAGIC_USED   2342u       /* a run with --save-mem has used it up */
#define NODE_BYTES   39u
#define CALC_NS_MAX  1000000000000000ull     /* 1,000,000 s */
#define SIZE_MAX_B   (1ull << 48)

/* ---- text ---- */

struct label { const char *at; uint32_t length, op; };

struct text {
    const char   *name, *at, *end;
    uint32_t      line;
    struct trace *trace;
    bool         *is_seen;       /* by rank */
    uint32_t      rank, cpus;    /* rank: the one whose block is read */
    struct label *label;         /* a table of those of this block; 0 length: free */
    uint32_t      labels, size;
    struct err   *err;
};

static int refuse(struct text *x, const char *format, ...) __attribute__((format(printf, 2, 3)));

static int refuse(struct text *x, const char *format, ...)
{
    char    why[200];
    va_list args;

    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    return err_set(x->err, EINVAL, "%s:%u: %s", x->name, x->line, why);
}

static void skip_blanks(struct text *x)
{
    while (x->at < x->end && (*x->at == ' ' || *x->at == '\t' || *x->at == '\r'))
        x->at++;
}

/* To the next thing that is no blank, line end or comment. */
static void skip_lines(struct text *x)
{
    for (;;) {
        skip_blanks(x);
        if (x->at >= x->end)
            return;
        if (*x->at == '\n') {
            x->line++;
            x->at++;
        } else if (x->end - x->at > 1 && x->at[0] == '/' && x->at[1] == '/') {
            while (x->at < x->end && *x->at != '\n')
                x->at++;
        } else if (x->end - x->at > 1 && x->at[0] == '/' && x->at[1] == '*') {
            for (x->at += 2; x->at < x->end && !(x->at[-1] == '*' && *x->at == '/'); x->at++)
                x->line += *x->at == '\n';
            x->at += x->at < x->end;
        } else {
            return;
        }
    }
}

/* The word that begins here; 0: none does. */
static uint32_t word_length(const struct text *x)
{
    const char *p = x->at;

    if (p < x->end && isalpha((unsigned char)*p))
        while (p < x->end && (isalnum((unsigned char)*p) || *p == '_'))
            p++;
    return (uint32_t)(p - x->at);
}

static bool take_word(struct text *x, const char *word)
{
    size_t length = strlen(word);

    skip_blanks(x);
    if (word_length(x) != length || memcmp(x->at, word, length) != 0)
        return false;
    x->at += length;
    return true;
}

static bool take_char(struct text *x, char c)
{
    skip_blanks(x);
    if (x->at >= x->end || *x->at != c)
        return false;
    x->at++;
    return true;
}

static int take_number(struct text *x, const char *what, uint64_t max, uint64_t *number)
{
    uint64_t n = 0;

    skip_blanks(x);
    if (x->at >= x->end || !isdigit((unsigned char)*x->at))
        return refuse(x, "%s is missing", what);
    for (; x->at < x->end && isdigit((unsigned char)*x->at); x->at++) {
        n = n * 10 + (uint64_t)(*x->at - '0');
        if (n > max)
            return refuse(x, "%s is more than %llu", what, (unsigned long long)max);
    }
    *number = n;
    return 0;
}

/* -1 is any of them. */
static int take_any(struct text *x, const char *what, uint64_t max, uint64_t any, uint64_t *number)
{
    skip_blanks(x);
    if (x->end - x->at > 1 && x->at[0] == '-' && x->at[1] == '1') {
        x->at += 2;
        *number = any;
        return 0;
    }
    return take_number(x, what, max, number);
}

/* ---- labels ---- */

static struct label *find_label(const struct text *x, const char *at, uint32_t length)
{
    uint32_t hash = 2166136261u;

    for (uint32_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)at[i]) * 16777619u;
    for (hash ^= hash >> 15;; hash++) {
        struct label *l = &x->label[hash & (x->size - 1)];

        if (!l->length || (l->length == length && memcmp(l->at, at, length) == 0))
            return l;
    }
}

/* The first of two labels counts, as in LogGOPSim. */
static void add_label(struct text *x, const char *at, uint32_t length, uint32_t op)
{
    struct label *l;

    if (2 * x->labels >= x->size) {
        struct text was = *x;

        x->size = x->size ? 2 * x->size : 64;
        x->label = xcalloc(x->size, sizeof *x->label);
        for (uint32_t i = 0; i < was.size; i++)
            if (was.label[i].length)
                *find_label(x, was.label[i].at, was.label[i].length) = was.label[i];
        free(was.label);
    }
    l = find_label(x, at, length);
    if (l->length)
        return;
    *l = (struct label){ at, length, op };
    x->labels++;
}

static int take_label(struct text *x, uint32_t *op)
{
    uint32_t            length;
    const struct label *l;

    skip_blanks(x);
    length = word_length(x);
    if (!length)
        return refuse(x, "a label is missing");
    l = x->size ? find_label(x, x->at, length) : NULL;
    if (!l || !l->length)
        return refuse(x, "there is no '%.*s' in this rank so far", length < 40 ? (int)length : 40, x->at);
    *op = l->op;
    x->at += length;
    return 0;
}

/* ---- statements ---- */

static int take_options(struct text *x, struct trace_op *op)
{
    uint64_t tag = 0, cpu = 0, nic = 0;
    int      rc = 0;

    if (op->type != TRACE_CALC && take_word(x, "tag"))
        rc = op->type == TRACE_RECV ? take_any(x, "the tag", UINT32_MAX - 1, TRACE_ANY_TAG, &tag)
                                    : take_number(x, "the tag", UINT32_MAX - 1, &tag);
    if (!rc && take_word(x, "cpu"))
        rc = take_number(x, "the cpu", 255, &cpu);
    if (!rc && op->type != TRACE_CALC && take_word(x, "nic"))
        rc = take_number(x, "the nic", 255, &nic);
    if (!rc && nic)
        rc = refuse(x, "nic %llu: ranks with several NICs are not modelled", (unsigned long long)nic);
    op->tag = tag;
    op->cpu = (uint8_t)cpu;
    return rc;
}

static int take_message(struct text *x, struct trace_op *op)
{
    uint64_t peer = 0;
    int      rc = take_number(x, "the size", SIZE_MAX_B, &op->size);

    if (!rc && !take_word(x, "b"))
        rc = refuse(x, "'b' is missing behind the size");
    if (!rc && !take_word(x, op->type == TRACE_SEND ? "to" : "from"))
        rc = refuse(x, "'%s' is missing", op->type == TRACE_SEND ? "to" : "from");
    if (!rc)
        rc = op->type == TRACE_RECV ? take_any(x, "the rank", UINT32_MAX, TRACE_ANY, &peer) : take_number(x, "the rank", UINT32_MAX, &peer);
    if (!rc && !(op->type == TRACE_RECV && peer == TRACE_ANY) && peer >= x->trace->ranks)
        rc = refuse(x, "there is no rank %llu: there are %u", (unsigned long long)peer, x->trace->ranks);
    op->size += op->size == 0;
    op->peer = (uint32_t)peer;
    return rc;
}

/* An operation, if one begins here; *op: its number. */
static int take_operation(struct text *x, uint32_t *number)
{
    struct trace_op op = { .line = x->line };
    uint64_t        ns = 0;
    int             rc;

    if (take_word(x, "calc")) {
        rc = take_number(x, "the time", CALC_NS_MAX, &ns);
        op.size = ns * PS_PER_NS;
    } else if (take_word(x, "send") || take_word(x, "recv")) {
        op.type = x->at[-1] == 'd' ? TRACE_SEND : TRACE_RECV;
        rc = take_message(x, &op);
    } else {
        return refuse(x, "'%.*s' is no operation; there are calc, send and recv", (int)(word_length(x) < 40 ? word_length(x) : 40), x->at);
    }
    if (!rc)
        rc = take_options(x, &op);
    if (!rc && x->trace->ops >= TRACE_OPS_MAX)
        rc = refuse(x, "more than %u operations", TRACE_OPS_MAX);
    if (!rc)
        *number = trace_add(x->trace, x->rank, &op);
    return rc;
}

static int take_requirement(struct text *x)
{
    uint32_t after = 0, before = 0;
    bool     is_start = false;
    int      rc = take_label(x, &after);

    if (!rc && take_word(x, "irequires"))
        is_start = true;
    else if (!rc && !take_word(x, "requires"))
        rc = refuse(x, "an operation, 'requires' or 'irequires' is missing");
    if (!rc)
        rc = take_label(x, &before);
    if (!rc)
        trace_require(x->trace, x->rank, after, before, is_start);
    return rc;
}

static bool is_operation(const struct text *x)
{
    uint32_t length = word_length(x);

    return length == 4 && (!memcmp(x->at, "calc", 4) || !memcmp(x->at, "send", 4) || !memcmp(x->at, "recv", 4));
}

static int take_statement(struct text *x)
{
    const char *label = x->at;
    uint32_t    length = word_length(x), op;
    int         rc;

    if (!length)
        return refuse(x, "an operation or a label is missing");
    x->at += length;
    if (take_char(x, ':')) {
        skip_blanks(x);
        rc = take_operation(x, &op);
        if (!rc)
            add_label(x, label, length, op);
        return rc;
    }
    x->at = label;
    return is_operation(x) ? take_operation(x, &op) : take_requirement(x);
}

static int end_line(struct text *x)
{
    skip_blanks(x);
    if (x->at >= x->end || *x->at == '\n' || *x->at == '}' || (*x->at == '/' && x->end - x->at > 1 && (x->at[1] == '/' || x->at[1] == '*')))
        return 0;
    return refuse(x, "more than one thing on a line");
}

static int take_block(struct text *x)
{
    uint64_t rank = 0;
    int      rc = take_number(x, "the number of the rank", UINT32_MAX, &rank);

    if (!rc && !x->trace->ranks)
        return refuse(x, "num_ranks must come before the first rank");
    if (!rc && rank >= x->trace->ranks)
        return refuse(x, "there is no rank %llu: there are %u", (unsigned long long)rank, x->trace->ranks);
    if (!rc && x->is_seen[rank])
        return refuse(x, "rank %llu is there twice", (unsigned long long)rank);
    if (rc)
        return rc;
    x->is_seen[rank] = true;
    x->rank = (uint32_t)rank;
    x->labels = 0;
    if (x->size)
        memset(x->label, 0, x->size * sizeof *x->label);
    skip_lines(x);
    if (!take_char(x, '{'))
        return refuse(x, "'{' is missing");
    for (skip_lines(x); !take_char(x, '}'); skip_lines(x)) {
        if (x->at >= x->end)
            return refuse(x, "rank %u does not end: '}' is missing", x->rank);
        rc = take_statement(x);
        if (!rc)
            rc = end_line(x);
        if (rc)
            return rc;
    }
    return 0;
}

static int take_ranks(struct text *x)
{
    uint64_t ranks = 0;
    int      rc = take_number(x, "the number of ranks", TRACE_RANKS_MAX, &ranks);

    if (!rc && (x->trace->ranks || !ranks))
        return refuse(x, ranks ? "num_ranks is there twice" : "there are no ranks");
    if (rc)
        return rc;
    trace_fini(x->trace);
    trace_init(x->trace, x->name, (uint32_t)ranks);
    x->is_seen = xcalloc(ranks + 1, sizeof *x->is_seen);
    return 0;
}

static int read_text(struct text *x)
{
    int rc = 0;

    for (skip_lines(x); x->at < x->end && !rc; skip_lines(x)) {
        if (take_word(x, "num_ranks"))
            rc = take_ranks(x);
        else if (take_word(x, "rank"))
            rc = take_block(x);
        else
            rc = refuse(x, "'num_ranks' or 'rank' is missing");
    }
    if (!rc && !x->trace->ranks)
        rc = refuse(x, "num_ranks is missing");
    for (uint32_t i = 0; i < x->trace->ranks && x->is_seen && !rc; i++)
        if (!x->is_seen[i])
            rc = refuse(x, "rank %u is missing", i);
    return rc;
}

/* ---- compiled ---- */

struct binary {
    const char          *name;
    const unsigned char *data;
    uint64_t             size;
    struct trace        *trace;
    struct err          *err;
};

static uint64_t get(const unsigned char *p, uint32_t bytes)
{
    uint64_t n = 0;

    while (bytes-- > 0)
        n = n << 8 | p[bytes];
    return n;
}

static int refuse_node(const struct binary *b, uint32_t rank, uint32_t node, const char *why)
{
    return err_set(b->err, EINVAL, "%s: node %u of rank %u: %s", b->name, node, rank, why);
}

static int read_node(const struct binary *b, uint32_t rank, uint32_t node, const unsigned char *p)
{
    static const uint8_t types[] = { [1] = TRACE_SEND, [2] = TRACE_RECV, [3] = TRACE_CALC };
    struct trace_op      op = { .line = node + 1, .peer = (uint32_t)get(p + 5, 4), .size = get(p + 9, 8), .tag = get(p + 17, 4), .cpu = p[21] };

    if (p[4] < 1 || p[4] > 3)
        return refuse_node(b, rank, node, "its type is none of send (1), recv (2) and calc (3)");
    op.type = types[p[4]];
    if (op.type == TRACE_CALC ? op.size > CALC_NS_MAX : op.size > SIZE_MAX_B)
        return refuse_node(b, rank, node, "its size or time is too large");
    if (op.type != TRACE_CALC && p[22])
        return refuse_node(b, rank, node, "ranks with several NICs are not modelled");
    if (op.type != TRACE_CALC && op.peer >= b->trace->ranks && !(op.type == TRACE_RECV && op.peer == TRACE_ANY))
        return refuse_node(b, rank, node, "there is no rank of its peer's number");
    if (op.type == TRACE_CALC)
        op.size *= PS_PER_NS, op.peer = 0;
    else
        op.size += op.size == 0;
    if (op.type == TRACE_RECV && op.tag == UINT32_MAX)
        op.tag = TRACE_ANY_TAG;
    trace_add(b->trace, rank, &op);
    return 0;
}

static int read_edges(const struct binary *b, uint32_t rank, uint32_t node, const unsigned char *p, const unsigned char *appendix, uint64_t room)
{
    for (uint32_t kind = 0; kind < 2; kind++) {
        uint64_t count = get(p + 23 + 8ul * kind, 4), first = get(p + 27 + 8ul * kind, 4);

        if (count && (first + count) * 4 > room)
            return refuse_node(b, rank, node, "those that wait for it lie outside of the rank");
        for (uint64_t i = 0; i < count; i++) {
            uint64_t after = get(appendix + 4 * (first + i), 4);

            if (after >= b->trace->rank[rank].ops)
                return refuse_node(b, rank, node, "one that waits for it does not exist");
            trace_require(b->trace, rank, (uint32_t)after, node, kind);
        }
    }
    return 0;
}

static int read_rank(const struct binary *b, uint32_t rank)
{
    const unsigned char *entry = b->data + 14 + 16ull * rank, *p;
    uint64_t             start = get(entry, 8), end = get(entry + 8, 8), nodes, roots, head;
    int                  rc = 0;

    if (end < start || end > b->size - 8 || end - start < 8)
        return err_set(b->err, EINVAL, "%s: rank %u lies outside of the file", b->name, rank);
    p = b->data + 8 + start;
    nodes = get(p, 4);
    roots = get(p + 4, 4);
    head = 8 + 4 * roots + nodes * NODE_BYTES;
    if (head > end - start)
        return err_set(b->err, EINVAL, "%s: rank %u is too short for its %llu nodes", b->name, rank, (unsigned long long)nodes);
    for (uint32_t i = 0; i < nodes && !rc; i++)
        rc = read_node(b, rank, i, p + 8 + 4 * roots + (uint64_t)i * NODE_BYTES);
    for (uint32_t i = 0; i < nodes && !rc; i++)
        rc = read_edges(b, rank, i, p + 8 + 4 * roots + (uint64_t)i * NODE_BYTES, p + head, end - start - head);
    for (uint32_t i = 0; i < nodes && !rc; i++)
        if (b->trace->rank[rank].op[i].waits != get(p + 8 + 4 * roots + (uint64_t)i * NODE_BYTES, 4))
            rc = refuse_node(b, rank, i, "it waits for more or fewer than its count says");
    return rc;
}

static int read_binary(const struct binary *b)
{
    uint64_t ranks = b->size >= 14 ? get(b->data + 8, 4) : 0;
    int      rc = 0;

    if (b->size < 14 || !ranks || ranks > TRACE_RANKS_MAX || 14 + 16 * ranks > b->size)
        return err_set(b->err, EINVAL, "%s: the table of ranks lies outside of the file", b->name);
    trace_fini(b->trace);
    trace_init(b->trace, b->name, (uint32_t)ranks);
    for (uint32_t i = 0; i < ranks && !rc; i++)
        rc = read_rank(b, i);
    return rc;
}

/* ---- both ---- */

int goal_parse(const char *name, const char *data, size_t size, struct trace *t, struct err *err)
{
    uint64_t magic = size >= 8 ? get((const unsigned char *)data, 8) : 0;
    int      rc;

    trace_init(t, name, 0);
    if (magic == MAGIC_USED) {
        rc = err_set(err, EINVAL, "%s: a run of LogGOPSim with --save-mem has used this file up", name);
    } else if (magic == MAGIC) {
        rc = read_binary(&(struct binary){ name, (const unsigned char *)data, size, t, err });
    } else {
        struct text x = { .name = name, .at = data, .end = data + size, .line = 1, .trace = t, .err = err };

        rc = read_text(&x);
        free(x.is_seen);
        free(x.label);
    }
    if (!rc)
        rc = trace_seal(t, err);
    if (!rc)
        rc = trace_check(t, err);
    if (rc)
        trace_fini(t);
    return rc;
}

int goal_read(const char *path, struct trace *t, struct err *err)
{
    struct mapped file;
    int           rc = mapped_open(&file, path, err);

    if (rc)
        return rc;
    rc = goal_parse(path, file.data, file.size, t, err);
    mapped_close(&file);
    return rc;
}
