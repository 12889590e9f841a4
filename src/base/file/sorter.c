#include "base/file/sorter.h"

#include "base/err.h"
#include "base/file/whole.h"
#include "base/heap.h"

#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#define READ_PAIRS 1024u         /* pairs of a run that are read at once */

struct run {
    uint64_t            at, end;         /* unread part of the file, in pairs */
    struct sorter_pair *pair;
    uint32_t            from, to;        /* unused part of 'pair' */
};

struct first { struct sorter_pair pair; uint32_t run; };         /* the first pair of a run */

struct sorter {
    struct sorter_pair *pair;
    uint32_t            count, max;
    bool                is_sorted;       /* the input often is */
    int                 file;            /* -1: not open */
    uint64_t            written;         /* pairs in the file */
    struct run         *run;
    uint32_t            runs;
    struct first       *heap;            /* of runs with pairs left, by their first pair */
    uint32_t            heaped;
};

static bool is_less(const struct sorter_pair *a, const struct sorter_pair *b)
{
    return a->key != b->key ? a->key < b->key : a->value < b->value;
}

static int by_key(const void *a, const void *b)
{
    return is_less(a, b) ? -1 : is_less(b, a);
}

struct sorter *sorter_new(uint32_t pairs)
{
    struct sorter *s = xcalloc(1, sizeof *s);

    s->max = pairs;
    s->pair = xmalloc(pairs * sizeof *s->pair);
    s->is_sorted = true;
    s->file = -1;
    return s;
}

void sorter_free(struct sorter *s)
{
    for (uint32_t i = 0; i < s->runs; i++)
        free(s->run[i].pair);
    if (s->file >= 0)
        close(s->file);
    free(s->run);
    free(s->heap);
    free(s->pair);
    free(s);
}

static void sort_kept(struct sorter *s)
{
    if (!s->is_sorted)
        qsort(s->pair, s->count, sizeof *s->pair, by_key);
    s->is_sorted = true;
}

static int write_run(struct sorter *s)
{
    int rc;

    sort_kept(s);
    if (s->file < 0)
        s->file = temporary_open();
    if (s->file < 0)
        return s->file;
    rc = temporary_write(s->file, s->pair, s->count * sizeof *s->pair, s->written * sizeof *s->pair);
    if (rc)
        return rc;
    s->run = xrealloc(s->run, (s->runs + 1ul) * sizeof *s->run);
    s->run[s->runs++] = (struct run){ .at = s->written, .end = s->written + s->count };
    s->written += s->count;
    s->count = 0;
    return 0;
}

int sorter_add(struct sorter *s, uint64_t key, uint32_t value)
{
    struct sorter_pair is = { key, value, 0 };
    int                rc = s->count == s->max ? write_run(s) : 0;

    if (rc)
        return rc;
    s->is_sorted &= !s->count || !is_less(&is, &s->pair[s->count - 1]);
    s->pair[s->count++] = is;
    return 0;
}

/* ---- reading ---- */

/* Reads more pairs if a run has none in memory. Returns 1, 0 at its end, or a negative errno. */
static int fill(const struct sorter *s, struct run *r)
{
    uint64_t left = r->end - r->at;

    if (r->from < r->to)
        return 1;
    if (!left)
        return 0;
    r->from = 0;
    r->to = left < READ_PAIRS ? (uint32_t)left : READ_PAIRS;
    if (!temporary_read(s->file, r->pair, r->to * sizeof *r->pair, r->at * sizeof *r->pair))
        return -EIO;
    r->at += r->to;
    return 1;
}

static bool is_before(const void *a, const void *b)
{
    return is_less(&((const struct first *)a)->pair, &((const struct first *)b)->pair);
}

/* Puts the next pair of a run into the heap, if there is one. */
static int add_next(struct sorter *s, uint32_t run)
{
    struct run *r = &s->run[run];
    int         rc = fill(s, r);

    if (rc > 0)
        heap_add(s->heap, sizeof *s->heap, s->heaped++, &(struct first){ r->pair[r->from++], run },
                 is_before);
    return rc < 0 ? rc : 0;
}

int sorter_begin(struct sorter *s)
{
    int rc = 0;

    sort_kept(s);
    if (!s->runs) {              /* all pairs are in memory: one run, already read */
        s->run = xcalloc(1, sizeof *s->run);
        s->run[0] = (struct run){ .pair = s->pair, .to = s->count };
        s->pair = NULL;
        s->runs = 1;
    } else {
        rc = s->count ? write_run(s) : 0;
        free(s->pair);
        s->pair = NULL;
        for (uint32_t i = 0; i < s->runs; i++)
            s->run[i].pair = xmalloc(READ_PAIRS * sizeof *s->run[i].pair);
    }
    s->heap = xcalloc(s->runs, sizeof *s->heap);
    for (uint32_t i = 0; i < s->runs && !rc; i++)
        rc = add_next(s, i);
    return rc;
}

int sorter_next(struct sorter *s, struct sorter_pair *p)
{
    struct first first;
    int          rc;

    if (!s->heaped)
        return 0;
    heap_take(s->heap, sizeof *s->heap, s->heaped--, &first, is_before);
    *p = first.pair;
    rc = add_next(s, first.run);
    return rc ? rc : 1;
}
