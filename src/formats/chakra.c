#include "formats/chakra.h"

#include "base/file/mapped.h"
#include "base/text.h"
#include "base/yaml.h"
#include "core/units.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum node_type { METADATA = 1, MEM_LOAD, MEM_STORE, COMP, SEND, RECV, COLL };
enum coll_type { ALL_REDUCE = 0, ALL_GATHER = 2, BROADCAST = 5, ALL_TO_ALL = 6, REDUCE_SCATTER = 7 };
enum cpu { CPU_HOST, CPU_GPU, CPU_COMM };

#define MICROS_MAX 1000000000000ull          /* 1,000,000 s */
#define BYTES_MAX  (1ull << 48)

/* ---- protobuf ---- */

struct bytes { const unsigned char *at, *end; };

struct field {
    uint32_t     number, wire;   /* wire: 0 varint, 1 eight bytes, 2 bytes, 5 four bytes */
    uint64_t     value;
    struct bytes bytes;
};

static bool take_varint(struct bytes *b, uint64_t *value)
{
    *value = 0;
    for (uint32_t shift = 0; shift < 70 && b->at < b->end; shift += 7) {
        unsigned char c = *b->at++;

        if (shift < 64)
            *value |= (uint64_t)(c & 0x7f) << shift;
        if (!(c & 0x80))
            return true;
    }
    return false;
}

static bool take_fixed(struct bytes *b, uint32_t bytes, uint64_t *value)
{
    if ((size_t)(b->end - b->at) < bytes)
        return false;
    *value = 0;
    for (uint32_t i = bytes; i-- > 0;)
        *value = *value << 8 | b->at[i];
    b->at += bytes;
    return true;
}

/* The next field; false: it is cut off, or of a kind that proto3 does not have. */
static bool take_field(struct bytes *b, struct field *f)
{
    uint64_t key, length;

    if (!take_varint(b, &key) || key >> 3 == 0 || key >> 3 > 0x1fffffff)
        return false;
    *f = (struct field){ .number = (uint32_t)(key >> 3), .wire = key & 7 };
    switch (f->wire) {
    case 0: return take_varint(b, &f->value);
    case 1: return take_fixed(b, 8, &f->value);
    case 5: return take_fixed(b, 4, &f->value);
    case 2:
        if (!take_varint(b, &length) || length > (uint64_t)(b->end - b->at))
            return false;
        f->bytes = (struct bytes){ b->at, b->at + length };
        b->at += length;
        return true;
    default:
        return false;
    }
}

static bool is_text(const struct bytes *b, const char *text)
{
    return (size_t)(b->end - b->at) == strlen(text) && memcmp(b->at, text, strlen(text)) == 0;
}

/* ---- nodes ---- */

struct dep { uint64_t id; uint32_t op; };        /* operation 'op' waits for the node 'id' */

struct file {
    const char   *name;
    struct trace *trace;
    uint32_t      rank;
    struct dep   *dep, *of_id;   /* of_id: operations by id of their node */
    uint64_t      deps, deps_max;
    uint32_t      ids, ids_max;
    struct err   *err;
};

struct node {
    uint64_t     id, type, micros;
    bool         is_cpu, has_coll, has_size, has_src, has_dst, has_tag;
    uint64_t     coll, size, src, dst, tag;
    struct bytes group;
};

static int refuse(const struct file *f, uint64_t id, const char *format, ...) __attribute__((format(printf, 3, 4)));

static int refuse(const struct file *f, uint64_t id, const char *format, ...)
{
    char    why[160];
    va_list args;

    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    return err_set(f->err, EINVAL, "%s: node %llu: %s", f->name, (unsigned long long)id, why);
}

static uint64_t unzigzag(uint64_t n)
{
    return n >> 1 ^ (0 - (n & 1));
}

/* An attribute: its name, and the value whatever whole number it is written as. */
static bool take_attribute(struct bytes b, struct bytes *name, uint64_t *value, struct bytes *text)
{
    struct field f;

    *name = *text = (struct bytes){ NULL, NULL };
    *value = 0;
    while (b.at < b.end) {
        if (!take_field(&b, &f))
            return false;
        if (f.number == 1)
            *name = f.bytes;
        else if (f.number == 29)
            *text = f.bytes;
        else if (f.number == 15 || f.number == 17)
            *value = unzigzag(f.value);
        else if ((f.number >= 7 && f.number <= 13) || f.number == 19 || f.number == 21 || f.number == 27)
            *value = f.value;
        else if (f.number == 23)
            *value = (uint64_t)(int64_t)(int32_t)(uint32_t)f.value;
        else if (f.number == 25)
            *value = f.value;
    }
    return true;
}

static bool note_attribute(struct node *n, struct bytes b)
{
    struct { const char *name; uint64_t *value; bool *has; } want[] = {
        { "comm_type", &n->coll, &n->has_coll }, { "comm_size", &n->size, &n->has_size }, { "comm_src", &n->src, &n->has_src },
        { "comm_dst", &n->dst, &n->has_dst }, { "comm_tag", &n->tag, &n->has_tag },
    };
    struct bytes name, text;
    uint64_t     value;

    if (!take_attribute(b, &name, &value, &text))
        return false;
    for (size_t i = 0; name.at && i < sizeof want / sizeof *want; i++)
        if (is_text(&name, want[i].name)) {
            *want[i].value = value;
            *want[i].has = true;
        }
    if (name.at && is_text(&name, "is_cpu_op"))
        n->is_cpu = value != 0;
    if (name.at && is_text(&name, "pg_name"))
        n->group = text;
    return true;
}

static void add_dep(struct file *f, uint64_t id, uint32_t op)
{
    if (f->deps == f->deps_max) {
        f->deps_max = f->deps_max ? 2 * f->deps_max : 256;
        f->dep = xrealloc(f->dep, f->deps_max * sizeof *f->dep);
    }
    f->dep[f->deps++] = (struct dep){ id, op };
}

/* One, or several in a packed row. */
static bool take_deps(struct file *f, const struct field *is, uint32_t op)
{
    struct bytes b = is->bytes;
    uint64_t     id;

    if (is->wire == 0)
        add_dep(f, is->value, op);
    while (b.at < b.end) {
        if (!take_varint(&b, &id))
            return false;
        add_dep(f, id, op);
    }
    return true;
}

/* ---- what a node does ---- */

/* pg_name: "" and "0" are all ranks; otherwise the number of a group of the file. */
static int find_group(const struct file *f, const struct node *n, uint32_t *group)
{
    char     id[24] = "";
    size_t   length = n->group.at ? (size_t)(n->group.end - n->group.at) : 0;
    uint64_t number = 0;

    if (length >= sizeof id)
        return refuse(f, n->id, "its pg_name is no number");
    memcpy(id, n->group.at ? (const char *)n->group.at : "", length);
    if (length && text_to_uint(id, &number, NULL))
        return refuse(f, n->id, "its pg_name '%s' is no number", id);
    if (number >= f->trace->groups || (number && !f->trace->group[number].count))
        return refuse(f, n->id, "there is no group %s: name the file of groups", id);
    for (uint32_t i = 0; i < f->trace->group[number].count; i++)
        if (f->trace->group[number].rank[i] == f->rank) {
            *group = (uint32_t)number;
            return 0;
        }
    return refuse(f, n->id, "rank %u is not in group %s", f->rank, id);
}

static int make_collective(const struct file *f, const struct node *n, struct trace_op *op)
{
    if (!n->has_coll)
        return refuse(f, n->id, "a collective without comm_type");
    switch (n->coll) {
    case ALL_REDUCE:     op->collective = TRACE_ALL_REDUCE;     break;
    case ALL_GATHER:     op->collective = TRACE_ALL_GATHER;     break;
    case ALL_TO_ALL:     op->collective = TRACE_ALL_TO_ALL;     break;
    case REDUCE_SCATTER: op->collective = TRACE_REDUCE_SCATTER; break;
    case BROADCAST:
        op->type = TRACE_CALC;
        op->cpu = CPU_COMM;
        op->size = n->micros ? n->micros * PS_PER_US : PS_PER_NS;
        return 0;
    default:
        return refuse(f, n->id, "comm_type %llu is not modelled; ALL_REDUCE (0), ALL_GATHER (2), BROADCAST (5), ALL_TO_ALL (6) and REDUCE_SCATTER (7) are",
                      (unsigned long long)n->coll);
    }
    op->type = TRACE_COLLECTIVE;
    op->cpu = CPU_COMM;
    return find_group(f, n, &op->peer);
}

static int make_message(const struct file *f, const struct node *n, struct trace_op *op)
{
    bool     is_send = n->type == SEND;
    uint64_t self = is_send ? n->src : n->dst, peer = is_send ? n->dst : n->src;

    if ((is_send ? n->has_src : n->has_dst) && self != f->rank)
        return refuse(f, n->id, "it is of rank %llu and stands in the file of rank %u", (unsigned long long)self, f->rank);
    if (!(is_send ? n->has_dst : n->has_src) || !n->has_tag)
        return refuse(f, n->id, "a %s without %s or comm_tag", is_send ? "send" : "receive", is_send ? "comm_dst" : "comm_src");
    if (peer >= f->trace->ranks)
        return refuse(f, n->id, "there is no rank %llu: there are %u", (unsigned long long)peer, f->trace->ranks);
    op->type = is_send ? TRACE_SEND : TRACE_RECV;
    op->peer = (uint32_t)peer;
    op->tag = (uint32_t)n->tag;
    return 0;
}

static int make_op(const struct file *f, const struct node *n, struct trace_op *op)
{
    *op = (struct trace_op){ .line = (uint32_t)n->id, .cpu = n->is_cpu ? CPU_HOST : CPU_GPU };
    if (n->micros > MICROS_MAX)
        return refuse(f, n->id, "it takes more than 1,000,000 s");
    if (n->type >= SEND && n->type <= COLL && n->is_cpu)
        return refuse(f, n->id, "it communicates and has is_cpu_op");
    if (n->type >= SEND && n->type <= COLL && !(n->type == COLL && n->coll == BROADCAST) && (!n->has_size || n->size > BYTES_MAX))
        return refuse(f, n->id, "comm_size is missing or too large");
    op->size = n->size + (n->size == 0);
    switch (n->type) {
    case METADATA:
        op->size = 0;
        return 0;
    case MEM_LOAD: case MEM_STORE: case COMP:
        op->size = n->micros ? n->micros * PS_PER_US : PS_PER_NS;
        return 0;
    case SEND: case RECV:
        return make_message(f, n, op);
    case COLL:
        return make_collective(f, n, op);
    default:
        return refuse(f, n->id, "nodes of type %llu are not modelled", (unsigned long long)n->type);
    }
}

static int cut_off(const struct file *f)
{
    return err_set(f->err, EINVAL, "%s: it ends in the middle of a record, or is no Chakra trace", f->name);
}

static int read_node(struct file *f, struct bytes record)
{
    uint32_t        op = f->trace->rank[f->rank].ops;
    struct node     n = { 0 };
    struct trace_op made;
    struct field    is;
    int             rc;

    while (record.at < record.end) {
        bool is_fine = take_field(&record, &is);

        if (is_fine && is.number == 1)
            n.id = is.value;
        else if (is_fine && is.number == 3)
            n.type = is.value;
        else if (is_fine && (is.number == 4 || is.number == 5))
            is_fine = take_deps(f, &is, op);
        else if (is_fine && is.number == 7)
            n.micros = is.value;
        else if (is_fine && is.number == 10)
            is_fine = note_attribute(&n, is.bytes);
        if (!is_fine)
            return cut_off(f);
    }
    rc = make_op(f, &n, &made);
    if (rc)
        return rc;
    if (f->trace->ops >= TRACE_OPS_MAX)
        return refuse(f, n.id, "more than %u operations", TRACE_OPS_MAX);
    trace_add(f->trace, f->rank, &made);
    if (f->ids == f->ids_max) {
        f->ids_max = f->ids_max ? 2 * f->ids_max : 256;
        f->of_id = xrealloc(f->of_id, f->ids_max * sizeof *f->of_id);
    }
    f->of_id[f->ids++] = (struct dep){ n.id, op };
    return 0;
}

/* ---- a file ---- */

static int by_id(const void *a_, const void *b_)
{
    const struct dep *a = a_, *b = b_;

    return a->id != b->id ? (a->id > b->id) - (a->id < b->id) : (a->op > b->op) - (a->op < b->op);
}

/* Nodes may name others that come later. */
static int join_deps(struct file *f)
{
    if (f->ids)
        qsort(f->of_id, f->ids, sizeof *f->of_id, by_id);
    for (uint32_t i = 1; i < f->ids; i++)
        if (f->of_id[i].id == f->of_id[i - 1].id)
            return refuse(f, f->of_id[i].id, "there are two of it");
    for (uint64_t i = 0; i < f->deps; i++) {
        uint32_t from = 0, to = f->ids;

        while (from < to) {
            uint32_t middle = from + (to - from) / 2;

            if (f->of_id[middle].id < f->dep[i].id)
                from = middle + 1;
            else
                to = middle;
        }
        if (from == f->ids || f->of_id[from].id != f->dep[i].id)
            return refuse(f, f->trace->rank[f->rank].op[f->dep[i].op].line, "it waits for node %llu, which is not there", (unsigned long long)f->dep[i].id);
        trace_require(f->trace, f->rank, f->dep[i].op, f->of_id[from].op, false);
    }
    return 0;
}

int chakra_parse(const char *name, const void *data, size_t size, uint32_t rank, struct trace *t, struct err *err)
{
    struct bytes b = { data, (const unsigned char *)data + size };
    struct file  f = { .name = name, .trace = t, .rank = rank, .err = err };
    bool         is_first = true;
    uint64_t     length;
    int          rc = 0;

    if (size >= 2 && b.at[0] == 0x1f && b.at[1] == 0x8b)
        return err_set(err, EINVAL, "%s: it is packed; unpack it with gunzip", name);
    while (b.at < b.end && !rc) {
        if (!take_varint(&b, &length) || length > (uint64_t)(b.end - b.at)) {
            rc = cut_off(&f);
            break;
        }
        if (!is_first)           /* the first is about the whole */
            rc = read_node(&f, (struct bytes){ b.at, b.at + length });
        is_first = false;
        b.at += length;
    }
    if (!rc && is_first)
        rc = err_set(err, EINVAL, "%s: it is empty", name);
    if (!rc)
        rc = join_deps(&f);
    free(f.dep);
    free(f.of_id);
    return rc;
}

/* ---- groups ---- */

static int refuse_group(const char *name, const struct yaml_node *n, const char *why, struct err *err)
{
    return err_set(err, EINVAL, "%s:%u:%u: %s", name, n->line, n->column, why);
}

static int read_group(const char *name, const struct yaml_node *n, struct trace *t, struct err *err)
{
    uint32_t *rank, count = 0;
    uint64_t  id, number;
    int       rc = 0;

    if (!n->key || text_to_uint(n->key, &id, NULL) || id == 0 || id > 1000000)
        return refuse_group(name, n, "the id of a group is a whole number from 1 on", err);
    if (n->kind != YAML_LIST || n->count == 0)
        return refuse_group(name, n, "a group is a list of ranks", err);
    rank = xcalloc(n->count, sizeof *rank);
    for (const struct yaml_node *c = n->child; c && !rc; c = c->next) {
        if (c->kind != YAML_SCALAR || text_to_uint(c->text, &number, NULL) || number >= t->ranks)
            rc = refuse_group(name, c, "this is none of the ranks", err);
        else
            rank[count++] = (uint32_t)number;
        for (uint32_t i = 0; i + 1 < count && !rc; i++)
            if (rank[i] == rank[count - 1])
                rc = refuse_group(name, c, "this rank is there twice", err);
    }
    while (!rc && t->groups <= id)
        trace_add_group(t, NULL, 0);
    if (!rc) {
        free(t->group[id].rank);
        t->group[id] = (struct trace_group){ rank, count };
        return 0;
    }
    free(rank);
    return rc;
}

int chakra_parse_groups(const char *name, const char *text, size_t size, struct trace *t, struct err *err)
{
    struct yaml_doc doc;
    int             rc = yaml_parse(&doc, name, text, size, err);

    if (rc)
        return rc;
    if (!doc.root || doc.root->kind != YAML_MAP)
        rc = err_set(err, EINVAL, "%s: groups are an object: {\"1\": [0, 1], ..}", name);
    for (const struct yaml_node *n = doc.root && !rc ? doc.root->child : NULL; n && !rc; n = n->next)
        rc = read_group(name, n, t, err);
    yaml_fini(&doc);
    return rc;
}

/* ---- all of it ---- */

static char *file_of(const char *prefix, uint32_t rank)
{
    size_t size = strlen(prefix) + 20;
    char  *path = xmalloc(size);

    snprintf(path, size, "%s.%u.et", prefix, rank);
    return path;
}

static uint32_t count_files(const char *prefix)
{
    uint32_t ranks = 0;
    bool     is_there = true;

    while (is_there && ranks < TRACE_RANKS_MAX) {
        char *path = file_of(prefix, ranks);

        is_there = access(path, R_OK) == 0;
        ranks += is_there;
        free(path);
    }
    return ranks;
}

static int read_rank(const char *prefix, uint32_t rank, struct trace *t, struct err *err)
{
    char         *path = file_of(prefix, rank);
    struct mapped file;
    int           rc = mapped_open(&file, path, err);

    if (!rc) {
        rc = chakra_parse(path, file.data, file.size, rank, t, err);
        mapped_close(&file);
    }
    free(path);
    return rc;
}

int chakra_read(const char *prefix, const char *groups, struct trace *t, struct err *err)
{
    uint32_t      ranks = count_files(prefix);
    struct mapped file;
    int           rc = 0;

    if (!ranks)
        return err_set(err, ENOENT, "%s.0.et: %s", prefix, strerror(ENOENT));
    trace_init(t, prefix, ranks);
    t->is_by_number = true;
    if (groups) {
        rc = mapped_open(&file, groups, err);
        if (!rc) {
            rc = chakra_parse_groups(groups, file.data, file.size, t, err);
            mapped_close(&file);
        }
    }
    for (uint32_t i = 0; i < ranks && !rc; i++)
        rc = read_rank(prefix, i, t, err);
    if (rc)
        trace_fini(t);
    return rc;
}
