#include "formats/goal.h"

#include "base/file/whole.h"
#include "core/units.h"
#include "formats/goal_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC        4223u
#define MAGIC_USED   2342u       /* LogGOPSim with --save-mem has consumed it */
#define NODE_BYTES   39u
#define GOAL_WHOLE_BYTES 64000000    /* larger files are not kept in memory */

/* ---- compiled form ---- */

struct goal_binary {
    const struct goal_source *from;
    const char               *name;
    uint64_t                  size;          /* file size */
    struct trace             *trace;
    struct err               *err;
};

/* Returns bytes of the file, from memory or read from disk; the caller frees *own. Returns NULL if reading
 * fails. */
static const unsigned char *get_bytes(const struct goal_binary *b, uint64_t at, uint64_t bytes,
                                      unsigned char **own)
{
    unsigned char *data;
    uint64_t       got = 0;

    *own = NULL;
    if (!b->from->is_spilled)
        return (const unsigned char *)b->from->data + at;
    data = xmalloc(bytes + 1);
    while (got < bytes) {
        ssize_t n = pread(b->from->file, data + got, bytes - got, (off_t)(at + got));

        if (n <= 0 && !(n < 0 && errno == EINTR)) {
            free(data);
            err_set(b->err, EIO, "%s: cannot read the file", b->name);
            return NULL;
        }
        got += n > 0 ? (uint64_t)n : 0;
    }
    *own = data;
    return data;
}

static uint64_t get_uint(const unsigned char *p, uint32_t bytes)
{
    uint64_t n = 0;

    while (bytes-- > 0)
        n = n << 8 | p[bytes];
    return n;
}

static int refuse_node(const struct goal_binary *b, uint32_t rank, uint32_t node, const char *why)
{
    return err_set(b->err, EINVAL, "%s: node %u of rank %u: %s", b->name, node, rank, why);
}

static int read_node(const struct goal_binary *b, uint32_t rank, uint32_t node, const unsigned char *p)
{
    static const uint8_t types[] = { [1] = TRACE_SEND, [2] = TRACE_RECV, [3] = TRACE_CALC };
    struct trace_op      op = { .line = node + 1, .peer = (uint32_t)get_uint(p + 5, 4),
                                .size = get_uint(p + 9, 8), .tag = get_uint(p + 17, 4), .cpu = p[21] };

    if (p[4] < 1 || p[4] > 3)
        return refuse_node(b, rank, node, "its type is not send (1), recv (2) or calc (3)");
    op.type = types[p[4]];
    if (op.type == TRACE_CALC ? op.size > CALC_NS_MAX : op.size > SIZE_MAX_B)
        return refuse_node(b, rank, node, "its size or time is too large");
    if (op.type != TRACE_CALC && p[22])
        return refuse_node(b, rank, node, "ranks with several NICs are not modelled");
    if (op.type != TRACE_CALC && op.peer >= b->trace->ranks &&
        !(op.type == TRACE_RECV && op.peer == TRACE_ANY))
        return refuse_node(b, rank, node, "its peer is not a rank");
    if (op.type == TRACE_CALC)
        op.size *= PS_PER_NS, op.peer = 0;
    else
        op.size += op.size == 0;
    if (op.type == TRACE_RECV && op.tag == UINT32_MAX)
        op.tag = TRACE_ANY_TAG;
    trace_add(b->trace, rank, &op);
    return 0;
}

static int read_edges(const struct goal_binary *b, uint32_t rank, uint32_t node, const unsigned char *p,
                      const unsigned char *appendix, uint64_t room)
{
    for (uint32_t kind = 0; kind < 2; kind++) {
        uint64_t count = get_uint(p + 23 + 8ul * kind, 4), first = get_uint(p + 27 + 8ul * kind, 4);

        if (count && (first + count) * 4 > room)
            return refuse_node(b, rank, node, "its list of followers is outside of the rank");
        for (uint64_t i = 0; i < count; i++) {
            uint64_t after = get_uint(appendix + 4 * (first + i), 4);

            if (after >= b->trace->rank[rank].ops)
                return refuse_node(b, rank, node, "one of its followers does not exist");
            trace_require(b->trace, rank, (uint32_t)after, node, kind);
        }
    }
    return 0;
}

/* Reads the nodes of a rank from 'size' bytes. */
static int read_nodes(const struct goal_binary *b, uint32_t rank, const unsigned char *p, uint64_t size)
{
    uint64_t nodes = get_uint(p, 4), roots = get_uint(p + 4, 4), head = 8 + 4 * roots + nodes * NODE_BYTES;
    int      rc = 0;

    if (head > size)
        return err_set(b->err, EINVAL, "%s: rank %u is too short for its %llu nodes", b->name, rank,
                       (unsigned long long)nodes);
    for (uint32_t i = 0; i < nodes && !rc; i++)
        rc = read_node(b, rank, i, p + 8 + 4 * roots + (uint64_t)i * NODE_BYTES);
    for (uint32_t i = 0; i < nodes && !rc; i++)
        rc = read_edges(b, rank, i, p + 8 + 4 * roots + (uint64_t)i * NODE_BYTES, p + head, size - head);
    for (uint32_t i = 0; i < nodes && !rc; i++)
        if (b->trace->rank[rank].op[i].waits != get_uint(p + 8 + 4 * roots + (uint64_t)i * NODE_BYTES, 4))
            rc = refuse_node(b, rank, i, "the number of its dependencies differs from its count");
    return rc;
}

static int read_rank(const struct goal_binary *b, uint32_t rank, const unsigned char *entry)
{
    uint64_t             start = get_uint(entry, 8), end = get_uint(entry + 8, 8);
    const unsigned char *p;
    unsigned char       *own;
    int                  rc;

    if (end < start || end > b->size - 8 || end - start < 8)
        return err_set(b->err, EINVAL, "%s: rank %u lies outside of the file", b->name, rank);
    p = get_bytes(b, 8 + start, end - start, &own);
    if (!p)
        return -EIO;
    rc = read_nodes(b, rank, p, end - start);
    free(own);
    return rc ? rc : trace_seal_rank(b->trace, rank, b->err);
}

static int read_binary(const struct goal_binary *b)
{
    unsigned char       *own;
    const unsigned char *head = get_bytes(b, 0, b->size < 14 ? b->size : 14, &own), *table;
    uint64_t             ranks = head && b->size >= 14 ? get_uint(head + 8, 4) : 0;
    int                  rc = 0;

    if (!head)
        return -EIO;
    free(own);
    if (b->size < 14 || !ranks || ranks > TRACE_RANKS_MAX || 14 + 16 * ranks > b->size)
        return err_set(b->err, EINVAL, "%s: the table of ranks lies outside of the file", b->name);
    table = get_bytes(b, 14, 16 * ranks, &own);
    if (!table)
        return -EIO;
    trace_fini(b->trace);
    trace_init(b->trace, b->name, (uint32_t)ranks);
    if (b->from->is_spilled)
        rc = trace_spill(b->trace, b->err);
    for (uint32_t i = 0; i < ranks && !rc; i++)
        rc = read_rank(b, i, table + 16ul * i);
    free(own);
    return rc;
}

/* ---- entry points ---- */

static int read_source(const struct goal_source *from, uint64_t magic, struct trace *t, struct err *err)
{
    int rc;

    trace_init(t, from->name, 0);
    if (magic == MAGIC_USED)
        rc = err_set(err, EINVAL, "%s: LogGOPSim with --save-mem has consumed this file", from->name);
    else if (magic == MAGIC)
        rc = read_binary(&(struct goal_binary){ from, from->name, from->size, t, err });
    else
        rc = goal_text_read(from, t, err);
    rc = rc ? rc : trace_check(t, err);
    if (rc)
        trace_fini(t);
    return rc;
}

int goal_parse(const char *name, const char *data, size_t size, struct trace *t, struct err *err)
{
    uint64_t magic = size >= 8 ? get_uint((const unsigned char *)data, 8) : 0;

    return read_source(&(struct goal_source){ .name = name, .data = data, .size = size, .file = -1 }, magic,
                       t, err);
}

static int read_spilled(const char *path, int file, uint64_t size, struct trace *t, struct err *err)
{
    unsigned char magic[8] = { 0 };

    if (pread(file, magic, sizeof magic, 0) < 0)
        return err_set(err, errno, "%s: %s", path, strerror(errno));
    return read_source(&(struct goal_source){ .name = path, .size = size, .is_spilled = true, .file = file },
                       get_uint(magic, 8), t, err);
}

static int read_whole(const char *path, struct trace *t, struct err *err)
{
    struct mapped file;
    int           rc = mapped_open(&file, path, err);

    if (rc)
        return rc;
    rc = goal_parse(path, file.data, file.size, t, err);
    mapped_close(&file);
    return rc;
}

int goal_read(const char *path, enum trace_memory memory, struct trace *t, struct err *err)
{
    int         file = memory == TRACE_IN_MEMORY ? -1 : open(path, O_RDONLY | O_CLOEXEC), rc;
    struct stat about;

    if (file < 0)
        return read_whole(path, t, err);         /* reports the error */
    if (fstat(file, &about) || !S_ISREG(about.st_mode) ||
        (memory == TRACE_BY_SIZE && about.st_size <= GOAL_WHOLE_BYTES))
        rc = read_whole(path, t, err);
    else
        rc = read_spilled(path, file, (uint64_t)about.st_size, t, err);
    close(file);
    return rc;
}
