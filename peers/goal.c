/* peers/goal.c - GOAL, as text and compiled. Files are mapped into memory, so that a large one needs no
 * buffers of its own. */
#include "peers/goal.h"

#include "base/file/whole.h"
#include "core/units.h"
#include "work/net/trace.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CALC_NS_MAX 1000000000000000ull      /* 1,000,000 s */
#define SIZE_MAX_B  (1ull << 48)

/* ---- text form ---- */

struct goal_label { const char *at; uint32_t length, op; };

/* After an error, the text is at its end. */
struct goal_parser {
    const char        *name, *at, *end;  /* unread text */
    uint32_t           line;
    struct trace      *trace;
    bool              *is_seen;          /* by rank */
    uint32_t           rank;             /* the current block's */
    struct goal_label *label;            /* hash table of the current block; length 0: free */
    uint32_t           labels, size;
    int                rc;               /* of the first error */
    struct err        *err;
};

__attribute__((format(printf, 2, 3)))
static void refuse(struct goal_parser *x, const char *format, ...)
{
    char    why[200];
    va_list args;

    if (x->rc)
        return;
    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    x->rc = err_set(x->err, EINVAL, "%s:%u: %s", x->name, x->line, why);
    x->at = x->end;
}

static void skip_blanks(struct goal_parser *x)
{
    while (x->at < x->end && (*x->at == ' ' || *x->at == '\t' || *x->at == '\r'))
        x->at++;
}

static bool is_comment(const struct goal_parser *x, char second)
{
    return x->end - x->at > 1 && x->at[0] == '/' && x->at[1] == second;
}

static void skip_comment(struct goal_parser *x)
{
    const char *begin = x->at + 2;

    for (x->at = begin; x->at < x->end; x->at++) {
        if (*x->at == '/' && x->at > begin && x->at[-1] == '*') {
            x->at++;
            return;
        }
        x->line += *x->at == '\n';
    }
}

/* Skips blanks, line ends and comments. */
static void skip_lines(struct goal_parser *x)
{
    for (skip_blanks(x); x->at < x->end; skip_blanks(x)) {
        if (*x->at == '\n') {
            x->line++;
            x->at++;
        } else if (is_comment(x, '/')) {
            while (x->at < x->end && *x->at != '\n')
                x->at++;
        } else if (is_comment(x, '*')) {
            skip_comment(x);
        } else {
            return;
        }
    }
}

/* Returns the length of the word here, or 0 if there is none. */
static uint32_t word_length(const struct goal_parser *x)
{
    const char *p = x->at;

    if (p < x->end && isalpha((unsigned char)*p))
        while (p < x->end && (isalnum((unsigned char)*p) || *p == '_'))
            p++;
    return (uint32_t)(p - x->at);
}

static bool take_word(struct goal_parser *x, const char *word)
{
    size_t length = strlen(word);

    skip_blanks(x);
    if (word_length(x) != length || memcmp(x->at, word, length) != 0)
        return false;
    x->at += length;
    return true;
}

static bool take_char(struct goal_parser *x, char c)
{
    skip_blanks(x);
    if (x->at >= x->end || *x->at != c)
        return false;
    x->at++;
    return true;
}

static uint64_t take_number(struct goal_parser *x, const char *what, uint64_t max)
{
    uint64_t n = 0;

    skip_blanks(x);
    if (x->at >= x->end || !isdigit((unsigned char)*x->at))
        refuse(x, "%s is missing", what);
    for (; x->at < x->end && isdigit((unsigned char)*x->at); x->at++) {
        n = n * 10 + (uint64_t)(*x->at - '0');
        if (n > max) {
            refuse(x, "%s is more than %llu", what, (unsigned long long)max);
            return 0;
        }
    }
    return n;
}

/* Reads a number; -1 of a receive means any. */
static uint64_t take_number_or_any(struct goal_parser *x, const struct trace_op *op, const char *what,
                                   uint64_t max, uint64_t any)
{
    skip_blanks(x);
    if (op->type != TRACE_RECV || x->end - x->at < 2 || x->at[0] != '-' || x->at[1] != '1')
        return take_number(x, what, max);
    x->at += 2;
    return any;
}

/* ---- labels ---- */

static struct goal_label *find_label(const struct goal_parser *x, const char *at, uint32_t length)
{
    uint32_t hash = 2166136261u;

    for (uint32_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)at[i]) * 16777619u;
    for (hash ^= hash >> 15;; hash++) {
        struct goal_label *l = &x->label[hash & (x->size - 1)];

        if (!l->length || (l->length == length && memcmp(l->at, at, length) == 0))
            return l;
    }
}

/* The first of two equal labels counts, as in LogGOPSim. */
static void add_label(struct goal_parser *x, const char *at, uint32_t length, uint32_t op)
{
    if (2 * x->labels >= x->size) {
        struct goal_parser was = *x;

        x->size = x->size ? 2 * x->size : 64;
        x->label = xcalloc(x->size, sizeof *x->label);
        for (uint32_t i = 0; i < was.size; i++)
            if (was.label[i].length)
                *find_label(x, was.label[i].at, was.label[i].length) = was.label[i];
        free(was.label);
    }
    struct goal_label *l = find_label(x, at, length);
    if (l->length)
        return;
    *l = (struct goal_label){ at, length, op };
    x->labels++;
}

static uint32_t take_label(struct goal_parser *x)
{
    skip_blanks(x);
    uint32_t length = word_length(x);
    if (!length)
        refuse(x, "a label is missing");
    const struct goal_label *l = length && x->size ? find_label(x, x->at, length) : NULL;
    if (!l || !l->length) {
        refuse(x, "there is no '%.*s' in this rank so far", length < 40 ? (int)length : 40, x->at);
        return 0;
    }
    x->at += length;
    return l->op;
}

/* ---- statements ---- */

static void take_options(struct goal_parser *x, struct trace_op *op)
{
    unsigned long long nic = 0;

    if (op->type != TRACE_CALC && take_word(x, "tag"))
        op->tag = take_number_or_any(x, op, "the tag", UINT32_MAX - 1, TRACE_ANY_TAG);
    if (take_word(x, "cpu"))
        op->cpu = (uint8_t)take_number(x, "the cpu", 255);
    if (op->type != TRACE_CALC && take_word(x, "nic"))
        nic = take_number(x, "the nic", 255);
    if (nic)
        refuse(x, "nic %llu: ranks with several NICs are not modelled", nic);
}

static void take_message(struct goal_parser *x, struct trace_op *op)
{
    const char *before_peer = op->type == TRACE_SEND ? "to" : "from";

    op->size = take_number(x, "the size", SIZE_MAX_B);
    if (!take_word(x, "b"))
        refuse(x, "'b' is missing behind the size");
    if (!take_word(x, before_peer))
        refuse(x, "'%s' is missing", before_peer);
    op->peer = (uint32_t)take_number_or_any(x, op, "the rank", UINT32_MAX, TRACE_ANY);
    if (!(op->type == TRACE_RECV && op->peer == TRACE_ANY) && op->peer >= x->trace->ranks)
        refuse(x, "there is no rank %u: there are %u", op->peer, x->trace->ranks);
    if (op->type == TRACE_READ && op->peer == x->rank)
        refuse(x, "a rank reads from the memory of another");
    op->size += op->size == 0;
}

/* Returns the type of the operation that begins here, or -1. */
static int operation_type(const struct goal_parser *x)
{
    static const struct { const char *word; enum trace_type type; } types[] = {
        { "calc", TRACE_CALC }, { "send", TRACE_SEND }, { "recv", TRACE_RECV }, { "read", TRACE_READ },
    };

    for (size_t i = 0; i < sizeof types / sizeof *types && word_length(x) == 4; i++)
        if (memcmp(x->at, types[i].word, 4) == 0)
            return (int)types[i].type;
    return -1;
}

/* Returns its number. */
static uint32_t take_operation(struct goal_parser *x)
{
    int             type = operation_type(x);
    struct trace_op op = { .line = x->line, .type = (uint8_t)type };

    if (type < 0) {
        refuse(x, "'%.*s' is not an operation; use calc, send, recv or read",
               (int)(word_length(x) < 40 ? word_length(x) : 40), x->at);
        return 0;
    }
    x->at += 4;
    if (op.type == TRACE_CALC)
        op.size = take_number(x, "the time", CALC_NS_MAX) * PS_PER_NS;
    else
        take_message(x, &op);
    take_options(x, &op);
    if (x->trace->ops >= TRACE_OPS_MAX)
        refuse(x, "more than %u operations", TRACE_OPS_MAX);
    return x->rc ? 0 : trace_add(x->trace, x->rank, &op);
}

static void take_requirement(struct goal_parser *x)
{
    uint32_t after = take_label(x);
    bool     is_start = take_word(x, "irequires");

    if (!is_start && !take_word(x, "requires"))
        refuse(x, "an operation, 'requires' or 'irequires' is missing");
    uint32_t before = take_label(x);
    if (!x->rc)
        trace_require(x->trace, x->rank, after, before, is_start);
}

static void take_statement(struct goal_parser *x)
{
    const char *label = x->at;
    uint32_t    length = word_length(x);

    if (!length)
        refuse(x, "an operation or a label is missing");
    x->at += length;
    if (length && take_char(x, ':')) {
        skip_blanks(x);
        add_label(x, label, length, take_operation(x));
    } else if (length) {
        x->at = label;
        if (operation_type(x) >= 0)
            take_operation(x);
        else
            take_requirement(x);
    }
    skip_blanks(x);
    if (x->at < x->end && *x->at != '\n' && *x->at != '}' && !is_comment(x, '/') && !is_comment(x, '*'))
        refuse(x, "unexpected text after the statement");
}

static void take_block(struct goal_parser *x)
{
    unsigned long long rank = take_number(x, "the number of the rank", UINT32_MAX);

    if (!x->trace->ranks)
        refuse(x, "num_ranks must come before the first rank");
    else if (rank >= x->trace->ranks)
        refuse(x, "there is no rank %llu: there are %u", rank, x->trace->ranks);
    else if (x->is_seen[rank])
        refuse(x, "rank %llu is given twice", rank);
    if (x->rc)
        return;
    x->is_seen[rank] = true;
    x->rank = (uint32_t)rank;
    x->labels = 0;
    if (x->size)
        memset(x->label, 0, x->size * sizeof *x->label);
    skip_lines(x);
    if (!take_char(x, '{'))
        refuse(x, "'{' is missing");
    for (skip_lines(x); x->at < x->end && *x->at != '}'; skip_lines(x))
        take_statement(x);
    if (!take_char(x, '}'))
        refuse(x, "rank %u does not end: '}' is missing", x->rank);
    if (!x->rc)
        x->rc = trace_seal_rank(x->trace, x->rank, x->err);
}

static void take_ranks(struct goal_parser *x)
{
    uint32_t ranks = (uint32_t)take_number(x, "the number of ranks", TRACE_RANKS_MAX);

    if (x->trace->ranks || !ranks)
        refuse(x, ranks ? "num_ranks is given twice" : "there are no ranks");
    if (x->rc)
        return;
    trace_fini(x->trace);
    trace_init(x->trace, x->name, ranks);
    x->is_seen = xcalloc(ranks + 1ul, sizeof *x->is_seen);
}

static int read_text(const char *name, const char *data, size_t size, struct trace *t, struct err *err)
{
    struct goal_parser x = { .name = name, .at = data, .end = data + size, .line = 1, .trace = t,
                             .err = err };

    for (skip_lines(&x); x.at < x.end && !x.rc; skip_lines(&x)) {
        if (take_word(&x, "num_ranks"))
            take_ranks(&x);
        else if (take_word(&x, "rank"))
            take_block(&x);
        else
            refuse(&x, "'num_ranks' or 'rank' is missing");
    }
    if (!t->ranks)
        refuse(&x, "num_ranks is missing");
    for (uint32_t i = 0; i < t->ranks && x.is_seen; i++)
        if (!x.is_seen[i])
            refuse(&x, "rank %u is missing", i);
    free(x.is_seen);
    free(x.label);
    return x.rc;
}

/* ---- compiled form ---- */

#define MAGIC        4223u
#define MAGIC_USED   2342u       /* LogGOPSim with --save-mem has consumed it */
#define NODE_BYTES   39u

static uint64_t get_uint(const unsigned char *p, uint32_t bytes)
{
    uint64_t n = 0;

    while (bytes-- > 0)
        n = n << 8 | p[bytes];
    return n;
}

static int refuse_node(const struct trace *t, uint32_t rank, uint32_t node, const char *why, struct err *err)
{
    return err_set(err, EINVAL, "%s: node %u of rank %u: %s", t->name, node, rank, why);
}

static int read_node(struct trace *t, uint32_t rank, uint32_t node, const unsigned char *p, struct err *err)
{
    static const uint8_t types[] = { [1] = TRACE_SEND, [2] = TRACE_RECV, [3] = TRACE_CALC };
    struct trace_op      op = { .line = node + 1, .peer = (uint32_t)get_uint(p + 5, 4),
                                .size = get_uint(p + 9, 8), .tag = get_uint(p + 17, 4), .cpu = p[21] };

    if (p[4] < 1 || p[4] > 3)
        return refuse_node(t, rank, node, "its type is not send (1), recv (2) or calc (3)", err);
    op.type = types[p[4]];
    if (op.type == TRACE_CALC ? op.size > CALC_NS_MAX : op.size > SIZE_MAX_B)
        return refuse_node(t, rank, node, "its size or time is too large", err);
    if (op.type != TRACE_CALC && p[22])
        return refuse_node(t, rank, node, "ranks with several NICs are not modelled", err);
    if (op.type != TRACE_CALC && op.peer >= t->ranks && !(op.type == TRACE_RECV && op.peer == TRACE_ANY))
        return refuse_node(t, rank, node, "its peer is not a rank", err);
    if (op.type == TRACE_CALC)
        op.size *= PS_PER_NS, op.peer = 0;
    else
        op.size += op.size == 0;
    if (op.type == TRACE_RECV && op.tag == UINT32_MAX)
        op.tag = TRACE_ANY_TAG;
    trace_add(t, rank, &op);
    return 0;
}

static int read_edges(struct trace *t, uint32_t rank, uint32_t node, const unsigned char *p,
                      const unsigned char *appendix, uint64_t room, struct err *err)
{
    for (uint32_t kind = 0; kind < 2; kind++) {
        uint64_t count = get_uint(p + 23 + 8ul * kind, 4), first = get_uint(p + 27 + 8ul * kind, 4);

        if (count && (first + count) * 4 > room)
            return refuse_node(t, rank, node, "its list of followers is outside of the rank", err);
        for (uint64_t i = 0; i < count; i++) {
            uint64_t after = get_uint(appendix + 4 * (first + i), 4);

            if (after >= t->rank[rank].ops)
                return refuse_node(t, rank, node, "one of its followers does not exist", err);
            trace_require(t, rank, (uint32_t)after, node, kind);
        }
    }
    return 0;
}

/* Reads a rank of 'size' bytes: its nodes, and the lists of their followers. */
static int read_rank(struct trace *t, uint32_t rank, const unsigned char *p, uint64_t size, struct err *err)
{
    uint64_t             nodes = get_uint(p, 4), roots = get_uint(p + 4, 4);
    uint64_t             head = 8 + 4 * roots + nodes * NODE_BYTES;
    const unsigned char *node = p + 8 + 4 * roots;
    int                  rc = 0;

    if (head > size)
        return err_set(err, EINVAL, "%s: rank %u is too short for its %llu nodes", t->name, rank,
                       (unsigned long long)nodes);
    if (nodes > TRACE_OPS_MAX - t->ops)
        return err_set(err, EINVAL, "%s: more than %u operations", t->name, TRACE_OPS_MAX);
    for (uint32_t i = 0; i < nodes && !rc; i++)
        rc = read_node(t, rank, i, node + (uint64_t)i * NODE_BYTES, err);
    for (uint32_t i = 0; i < nodes && !rc; i++)
        rc = read_edges(t, rank, i, node + (uint64_t)i * NODE_BYTES, p + head, size - head, err);
    for (uint32_t i = 0; i < nodes && !rc; i++)
        if (t->rank[rank].op[i].waits != get_uint(node + (uint64_t)i * NODE_BYTES, 4))
            rc = refuse_node(t, rank, i, "the number of its dependencies differs from its count", err);
    return rc ? rc : trace_seal_rank(t, rank, err);
}

static int read_binary(const char *name, const unsigned char *data, uint64_t size, struct trace *t,
                       struct err *err)
{
    uint64_t ranks = size >= 14 ? get_uint(data + 8, 4) : 0;
    int      rc = 0;

    if (!ranks || ranks > TRACE_RANKS_MAX || 14 + 16 * ranks > size)
        return err_set(err, EINVAL, "%s: the table of ranks lies outside of the file", name);
    trace_fini(t);
    trace_init(t, name, (uint32_t)ranks);
    for (uint32_t i = 0; i < ranks && !rc; i++) {
        uint64_t start = get_uint(data + 14 + 16ul * i, 8), end = get_uint(data + 22 + 16ul * i, 8);

        if (end < start || end > size - 8 || end - start < 8)
            rc = err_set(err, EINVAL, "%s: rank %u lies outside of the file", name, i);
        else
            rc = read_rank(t, i, data + 8 + start, end - start, err);
    }
    return rc;
}

/* ---- entry points ---- */

int goal_parse(const char *name, const char *data, size_t size, struct trace *t, struct err *err)
{
    const unsigned char *bytes = (const unsigned char *)data;
    uint64_t             magic = size >= 8 ? get_uint(bytes, 8) : 0;
    int                  rc;

    trace_init(t, name, 0);
    if (magic == MAGIC_USED)
        rc = err_set(err, EINVAL, "%s: LogGOPSim with --save-mem has consumed this file", name);
    else if (magic == MAGIC)
        rc = read_binary(name, bytes, size, t, err);
    else
        rc = read_text(name, data, size, t, err);
    rc = rc ? rc : trace_check(t, err);
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
