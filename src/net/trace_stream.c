/* src/net/trace_stream.c - writes a rank to the trace's file while it is being read.
 *
 * Operations go to the file as they are added. Dependencies are sorted by the id of the predecessor
 * (base/file/sorter.h). A second pass over operations and sorted dependencies gives each operation its
 * followers.
 */
#include "net/trace.h"

#include "base/file/sorter.h"
#include "base/file/whole.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SORTED_PAIRS 1000000u    /* pairs in memory: 16 MB */
#define PIECE_OPS    1024u       /* operations per read or write */
#define PIECE_LIST   4096u

/* A list of numbers, written after the operations. */
struct number_list { uint32_t number[PIECE_LIST], count; uint64_t at; };

struct trace_stream {
    struct trace   *trace;
    uint32_t        rank;
    uint64_t        at;          /* file offset of the first operation */
    uint32_t        ops, piece;  /* total; of these in memory */
    struct trace_op op[PIECE_OPS];
    uint64_t        last_id, waits;
    struct sorter  *sorter;
    struct number_list list;
};

struct trace_stream *trace_stream_new(struct trace *t, uint32_t rank)
{
    struct trace_stream *s = xcalloc(1, sizeof *s);

    s->trace = t;
    s->rank = rank;
    s->at = t->spill_bytes;
    s->sorter = sorter_new(SORTED_PAIRS);
    return s;
}

void trace_stream_free(struct trace_stream *s)
{
    sorter_free(s->sorter);
    free(s);
}

static int io_error(const struct trace_stream *s, int rc, struct err *err)
{
    return err_set(
        err, -rc,
        "%s: cannot write or read the temporary file for its operations (in $TMPDIR, or /var/tmp): %s",
        s->trace->name, strerror(-rc));
}

/* ---- add ---- */

/* Until the second pass, the fields for followers hold the id. */
static void set_id(struct trace_op *op, uint64_t id)
{
    op->done_at = (uint32_t)id;
    op->started_at = (uint32_t)(id >> 32);
}

static uint64_t get_id(const struct trace_op *op)
{
    return (uint64_t)op->started_at << 32 | op->done_at;
}

static int write_piece(struct trace_stream *s)
{
    int rc = temporary_write(s->trace->spill, s->op, s->piece * sizeof *s->op,
                             s->at + (s->ops - s->piece) * (uint64_t)sizeof *s->op);

    s->piece = 0;
    return rc;
}

int trace_stream_add(struct trace_stream *s, uint64_t id, const struct trace_op *op,
                     const uint64_t *waits_for, uint32_t count, struct err *err)
{
    struct trace_op *to;
    int              rc = s->piece == PIECE_OPS ? write_piece(s) : 0;

    if (s->ops && id <= s->last_id)
        return -EDOM;
    if (s->ops == TRACE_RANK_OPS_MAX || (s->waits += count) > UINT32_MAX)
        return err_set(err, E2BIG, "%s: rank %u has more than %u operations, or too many dependencies",
                       s->trace->name, s->rank, TRACE_RANK_OPS_MAX);
    for (uint32_t i = 0; i < count && !rc; i++)
        rc = sorter_add(s->sorter, waits_for[i], s->ops);
    if (rc)
        return io_error(s, rc, err);
    to = &s->op[s->piece++];
    *to = *op;
    to->waits = count;
    set_id(to, id);
    s->last_id = id;
    s->ops++;
    return 0;
}

/* ---- lists after the operations ---- */

static int flush_numbers(struct trace_stream *s)
{
    struct number_list *l = &s->list;
    int          rc = temporary_write(s->trace->spill, l->number, l->count * sizeof *l->number, l->at);

    l->at += l->count * sizeof *l->number;
    l->count = 0;
    return rc;
}

static int append_number(struct trace_stream *s, uint32_t number)
{
    int rc = s->list.count == PIECE_LIST ? flush_numbers(s) : 0;

    s->list.number[s->list.count++] = number;
    return rc;
}

/* ---- second pass ---- */

struct seal_pass {
    struct trace_stream  *s;
    struct trace_rank    *r;
    struct sorter_pair    next;      /* next dependency */
    int                   has_next;  /* 1: 'next' is valid; 0: end; negative: error */
    struct trace_numbers  numbers;
    struct trace_missing *missing;
    struct err           *err;
};

static int report_missing(struct seal_pass *p)
{
    struct trace_stream *s = p->s;
    struct trace_op      op = { 0 };

    if (!temporary_read(s->trace->spill, &op, sizeof op, s->at + p->next.value * (uint64_t)sizeof op))
        return io_error(s, -EIO, p->err);
    *p->missing = (struct trace_missing){ op.line, p->next.key };
    return -ESRCH;
}

static int take_followers(struct seal_pass *p, struct trace_op *op)
{
    uint64_t id = get_id(op);
    int      rc = 0;

    if (p->has_next == 1 && p->next.key < id)
        return report_missing(p);
    op->done_at = p->r->edges;
    while (p->has_next == 1 && p->next.key == id && !rc) {
        rc = append_number(p->s, p->next.value);
        p->r->edges++;
        p->has_next = sorter_next(p->s->sorter, &p->next);
    }
    op->started_at = op->next_at = p->r->edges;
    rc = rc ? rc : p->has_next < 0 ? p->has_next : 0;
    return rc ? io_error(p->s, rc, p->err) : 0;
}

static int finish_op(struct seal_pass *p, struct trace_op *op)
{
    struct trace_rank *r = p->r;
    int                rc = take_followers(p, op);

    if (!rc && op->type == TRACE_COLLECTIVE)
        rc = trace_number(&p->numbers, op, p->err);
    r->sends += op->type == TRACE_SEND || op->type == TRACE_READ;
    r->roots += op->waits == 0;
    r->cpus = op->cpu >= r->cpus ? op->cpu + 1u : r->cpus;
    return rc;
}

/* Calls do_it() for all operations, piece by piece. Writes them back if is_changed. */
static int for_each_op(struct seal_pass *p, int (*do_it)(struct seal_pass *, struct trace_op *),
                       bool is_changed)
{
    struct trace_stream *s = p->s;
    int                  rc = 0;

    for (uint32_t from = 0; from < s->ops && !rc; from += PIECE_OPS) {
        uint32_t count = s->ops - from < PIECE_OPS ? s->ops - from : PIECE_OPS;
        uint64_t at = s->at + from * (uint64_t)sizeof *s->op;

        if (!temporary_read(s->trace->spill, s->op, count * sizeof *s->op, at))
            return io_error(s, -EIO, p->err);
        s->piece = from;         /* start of the piece, for append_root() */
        for (uint32_t i = 0; i < count && !rc; i++)
            rc = do_it(p, &s->op[i]);
        if (!rc && is_changed &&
            (rc = temporary_write(s->trace->spill, s->op, count * sizeof *s->op, at)) != 0)
            return io_error(s, rc, p->err);
    }
    return rc;
}

static int append_root(struct seal_pass *p, struct trace_op *op)
{
    int rc = op->waits ? 0 : append_number(p->s, p->s->piece + (uint32_t)(op - p->s->op));

    return rc ? io_error(p->s, rc, p->err) : 0;
}

static int finish_ops(struct seal_pass *p)
{
    int rc = for_each_op(p, finish_op, true);

    if (!rc && p->has_next == 1)
        return report_missing(p);
    return rc ? rc : trace_numbers_end(&p->numbers, p->err);
}

int trace_stream_seal(struct trace_stream *s, struct trace_missing *missing, struct err *err)
{
    struct trace *t = s->trace;
    struct seal_pass   p = { .s = s, .r = &t->rank[s->rank], .missing = missing, .err = err };
    int           rc = write_piece(s);

    if (!rc)
        rc = sorter_begin(s->sorter);
    p.has_next = rc ? rc : sorter_next(s->sorter, &p.next);
    if (p.has_next < 0)
        return io_error(s, p.has_next, err);
    p.r->is_sealed = true;
    s->list.at = s->at + s->ops * (uint64_t)sizeof *s->op;
    trace_numbers_init(&p.numbers, t, s->rank);
    rc = finish_ops(&p);
    trace_numbers_fini(&p.numbers);
    if (!rc)
        rc = for_each_op(&p, append_root, false);
    if (!rc) {
        rc = flush_numbers(s);
        rc = rc ? io_error(s, rc, err) : 0;
    }
    p.r->at = s->at;
    p.r->ops = s->ops;
    t->ops += s->ops;
    t->spill_bytes = s->list.at;
    return rc;
}
