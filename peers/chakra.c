#include "peers/chakra.h"

#include "base/file/whole.h"
#include "base/reader.h"
#include "base/text.h"
#include "core/units.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct chakra_bytes { const unsigned char *at, *end; };

/* Position of a node, for error messages: its file, trace and rank. */
struct chakra_where { const char *name; const struct trace *trace; uint32_t rank; struct err *err; };

struct chakra_node {
    uint64_t        id;
    struct trace_op op;
    uint64_t       *dep;         /* ids of the nodes it waits for; freed by the caller */
    uint32_t        deps, deps_max;
};

enum node_type { METADATA = 1, MEM_LOAD, MEM_STORE, COMP, SEND, RECV, COLL };
enum coll_type { ALL_REDUCE = 0, ALL_GATHER = 2, BROADCAST = 5, ALL_TO_ALL = 6, REDUCE_SCATTER = 7 };
enum cpu { CPU_HOST, CPU_GPU, CPU_COMM };

#define MICROS_MAX 1000000000000ull          /* 1,000,000 s */
#define BYTES_MAX  (1ull << 48)

/* ---- protobuf ---- */

struct protobuf_field {
    uint32_t     number, wire;   /* wire type: 0 varint, 1 eight bytes, 2 length-delimited, 5 four bytes */
    uint64_t     value;
    struct chakra_bytes bytes;
};

/* Reads a varint. Returns false if it is truncated. */
static bool chakra_varint(struct chakra_bytes *b, uint64_t *value)
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

static bool take_fixed(struct chakra_bytes *b, uint32_t bytes, uint64_t *value)
{
    if ((size_t)(b->end - b->at) < bytes)
        return false;
    *value = 0;
    for (uint32_t i = bytes; i-- > 0;)
        *value = *value << 8 | b->at[i];
    b->at += bytes;
    return true;
}

/* Reads the next field. Returns false if it is truncated or has a wire type that proto3 lacks. */
static bool take_field(struct chakra_bytes *b, struct protobuf_field *f)
{
    uint64_t key, length;

    if (!chakra_varint(b, &key) || key >> 3 == 0 || key >> 3 > 0x1fffffff)
        return false;
    *f = (struct protobuf_field){ .number = (uint32_t)(key >> 3), .wire = key & 7 };
    switch (f->wire) {
    case 0: return chakra_varint(b, &f->value);
    case 1: return take_fixed(b, 8, &f->value);
    case 5: return take_fixed(b, 4, &f->value);
    case 2:
        if (!chakra_varint(b, &length) || length > (uint64_t)(b->end - b->at))
            return false;
        f->bytes = (struct chakra_bytes){ b->at, b->at + length };
        b->at += length;
        return true;
    default:
        return false;
    }
}

static bool is_text(const struct chakra_bytes *b, const char *text)
{
    return (size_t)(b->end - b->at) == strlen(text) && memcmp(b->at, text, strlen(text)) == 0;
}

/* ---- attributes ---- */

struct parsed_node {
    uint64_t     id, type, micros;
    bool         is_cpu, has_coll, has_size, has_src, has_dst, has_tag;
    uint64_t     coll, size, src, dst, tag;
    struct chakra_bytes group;
};

__attribute__((format(printf, 3, 4)))
static int chakra_refuse(const struct chakra_where *f, uint64_t id, const char *format, ...)
{
    char    why[160];
    va_list args;

    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    return err_set(f->err, EINVAL, "%s: node %llu: %s", f->name, (unsigned long long)id, why);
}

/* Reads an attribute: its name, and its value from any integer type. */
static bool take_attribute(struct chakra_bytes b, struct chakra_bytes *name, uint64_t *value,
                           struct chakra_bytes *text)
{
    struct protobuf_field f;

    *name = *text = (struct chakra_bytes){ NULL, NULL };
    *value = 0;
    while (b.at < b.end) {
        if (!take_field(&b, &f))
            return false;
        if (f.number == 1)
            *name = f.bytes;
        else if (f.number == 29)
            *text = f.bytes;
        else if (f.number == 15 || f.number == 17)
            *value = f.value >> 1 ^ (0 - (f.value & 1));     /* zigzag */
        else if ((f.number >= 7 && f.number <= 13) || f.number == 19 || f.number == 21 || f.number == 27)
            *value = f.value;
        else if (f.number == 23)
            *value = (uint64_t)(int64_t)(int32_t)(uint32_t)f.value;
        else if (f.number == 25)
            *value = f.value;
    }
    return true;
}

static bool note_attribute(struct parsed_node *n, struct chakra_bytes b)
{
    struct { const char *name; uint64_t *value; bool *has; } want[] = {
        { "comm_type", &n->coll, &n->has_coll }, { "comm_size", &n->size, &n->has_size },
        { "comm_src", &n->src, &n->has_src },
        { "comm_dst", &n->dst, &n->has_dst }, { "comm_tag", &n->tag, &n->has_tag },
    };
    struct chakra_bytes name, text;
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

static void add_dep(struct chakra_node *n, uint64_t id)
{
    n->dep = xgrow(n->dep, n->deps, &n->deps_max, 16, sizeof *n->dep);
    n->dep[n->deps++] = id;
}

/* Reads one dependency, or a packed list. */
static bool take_deps(struct chakra_node *n, const struct protobuf_field *is)
{
    struct chakra_bytes b = is->bytes;
    uint64_t            id;

    if (is->wire == 0)
        add_dep(n, is->value);
    while (b.at < b.end) {
        if (!chakra_varint(&b, &id))
            return false;
        add_dep(n, id);
    }
    return true;
}

/* ---- from node to operation ---- */

/* Resolves pg_name: "" and "0" are all ranks, other values are the number of a group in the file. */
static int find_group(const struct chakra_where *f, const struct parsed_node *n, uint32_t *group)
{
    char     id[24] = "";
    size_t   length = n->group.at ? (size_t)(n->group.end - n->group.at) : 0;
    uint64_t number = 0;

    if (length >= sizeof id)
        return chakra_refuse(f, n->id, "its pg_name is not a number");
    memcpy(id, n->group.at ? (const char *)n->group.at : "", length);
    if (length && text_to_uint(id, &number, NULL))
        return chakra_refuse(f, n->id, "its pg_name '%s' is not a number", id);
    if (number >= f->trace->groups || (number && !f->trace->group[number].count))
        return chakra_refuse(f, n->id, "there is no group %s: name the file of groups", id);
    for (uint32_t i = 0; i < f->trace->group[number].count; i++)
        if (f->trace->group[number].rank[i] == f->rank) {
            *group = (uint32_t)number;
            return 0;
        }
    return chakra_refuse(f, n->id, "rank %u is not in group %s", f->rank, id);
}

static int make_collective(const struct chakra_where *f, const struct parsed_node *n, struct trace_op *op)
{
    if (!n->has_coll)
        return chakra_refuse(f, n->id, "a collective without comm_type");
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
        return chakra_refuse(f, n->id, "comm_type %llu is not modelled; ALL_REDUCE (0), ALL_GATHER (2), "
                             "BROADCAST (5), ALL_TO_ALL (6) and REDUCE_SCATTER (7) are",
                             (unsigned long long)n->coll);
    }
    op->type = TRACE_COLLECTIVE;
    op->cpu = CPU_COMM;
    return find_group(f, n, &op->peer);
}

static int make_message(const struct chakra_where *f, const struct parsed_node *n, struct trace_op *op)
{
    bool     is_send = n->type == SEND;
    uint64_t self = is_send ? n->src : n->dst, peer = is_send ? n->dst : n->src;

    if ((is_send ? n->has_src : n->has_dst) && self != f->rank)
        return chakra_refuse(f, n->id, "it belongs to rank %llu, but is in the file of rank %u",
                             (unsigned long long)self, f->rank);
    if (!(is_send ? n->has_dst : n->has_src) || !n->has_tag)
        return chakra_refuse(f, n->id, "a %s without %s or comm_tag", is_send ? "send" : "receive",
                             is_send ? "comm_dst" : "comm_src");
    if (peer >= f->trace->ranks)
        return chakra_refuse(f, n->id, "there is no rank %llu: there are %u", (unsigned long long)peer,
                             f->trace->ranks);
    op->type = is_send ? TRACE_SEND : TRACE_RECV;
    op->peer = (uint32_t)peer;
    op->tag = (uint32_t)n->tag;
    return 0;
}

static int make_op(const struct chakra_where *f, const struct parsed_node *n, struct trace_op *op)
{
    *op = (struct trace_op){ .line = (uint32_t)n->id, .cpu = n->is_cpu ? CPU_HOST : CPU_GPU };
    if (n->micros > MICROS_MAX)
        return chakra_refuse(f, n->id, "it takes more than 1,000,000 s");
    if (n->type >= SEND && n->type <= COLL && n->is_cpu)
        return chakra_refuse(f, n->id, "it communicates and has is_cpu_op");
    if (n->type >= SEND && n->type <= COLL && !(n->type == COLL && n->coll == BROADCAST) &&
        (!n->has_size || n->size > BYTES_MAX))
        return chakra_refuse(f, n->id, "comm_size is missing or too large");
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
        return chakra_refuse(f, n->id, "nodes of type %llu are not modelled", (unsigned long long)n->type);
    }
}

/* ---- entry points ---- */

static int chakra_cut_off(const struct chakra_where *f)
{
    return err_set(f->err, EINVAL, "%s: truncated record, or not a Chakra trace", f->name);
}

/* Decodes a complete record. Reuses dep. */
static int chakra_node_read(struct chakra_node *to, struct chakra_bytes record, const struct chakra_where *f)
{
    struct parsed_node    n = { 0 };
    struct protobuf_field is;

    to->deps = 0;
    while (record.at < record.end) {
        bool is_fine = take_field(&record, &is);

        if (is_fine && is.number == 1)
            n.id = is.value;
        else if (is_fine && is.number == 3)
            n.type = is.value;
        else if (is_fine && (is.number == 4 || is.number == 5))
            is_fine = take_deps(to, &is);
        else if (is_fine && is.number == 7)
            n.micros = is.value;
        else if (is_fine && is.number == 10)
            is_fine = note_attribute(&n, is.bytes);
        if (!is_fine)
            return chakra_cut_off(f);
    }
    to->id = n.id;
    return make_op(f, &n, &to->op);
}

/* Returns 1 and the next record, or 0 at the end. */
static int next_record(struct chakra_bytes *rest, const struct chakra_where *where,
                       struct chakra_bytes *record)
{
    uint64_t length;

    if (rest->at == rest->end)
        return 0;
    if (!chakra_varint(rest, &length) || length > (uint64_t)(rest->end - rest->at))
        return chakra_cut_off(where);
    *record = (struct chakra_bytes){ rest->at, rest->at + length };
    rest->at += length;
    return 1;
}

/* ---- nodes ---- */

struct chakra_dep { uint64_t id; uint32_t op; }; /* operation 'op' waits for the node 'id' */

struct chakra_file {
    struct trace        *trace;
    struct chakra_dep   *dep, *of_id; /* of_id: operations by node id */
    uint64_t             deps, deps_max;
    uint32_t             ids, ids_max;
};

static int add_node(struct chakra_file *w, const struct chakra_node *n, const struct chakra_where *where)
{
    uint32_t op = w->ids;

    if (w->trace->ops >= TRACE_OPS_MAX)
        return chakra_refuse(where, n->id, "more than %u operations", TRACE_OPS_MAX);
    trace_add(w->trace, where->rank, &n->op);
    w->of_id = xgrow(w->of_id, w->ids, &w->ids_max, 256, sizeof *w->of_id);
    w->of_id[w->ids++] = (struct chakra_dep){ n->id, op };
    for (uint32_t i = 0; i < n->deps; i++) {
        if (w->deps == w->deps_max) {
            w->deps_max = w->deps_max ? 2 * w->deps_max : 256;
            w->dep = xrealloc(w->dep, w->deps_max * sizeof *w->dep);
        }
        w->dep[w->deps++] = (struct chakra_dep){ n->dep[i], op };
    }
    return 0;
}

static int read_nodes(struct chakra_file *w, struct chakra_bytes rest, const struct chakra_where *where)
{
    struct chakra_node  n = { 0 };
    struct chakra_bytes record = { NULL, NULL };
    int                 wrong;

    if (rest.end - rest.at >= 2 && rest.at[0] == 0x1f && rest.at[1] == 0x8b)
        return err_set(where->err, EINVAL, "%s: the file is compressed; unpack it with gunzip", where->name);
    int rc = next_record(&rest, where, &record);     /* the first record is metadata of the whole trace */
    if (rc == 0)
        return err_set(where->err, EINVAL, "%s: the file is empty", where->name);
    while (rc > 0 && (rc = next_record(&rest, where, &record)) > 0) {
        wrong = chakra_node_read(&n, record, where);
        wrong = wrong ? wrong : add_node(w, &n, where);
        rc = wrong ? wrong : rc;
    }
    free(n.dep);
    return rc;
}

static int by_id(const void *a_, const void *b_)
{
    const struct chakra_dep *a = a_, *b = b_;

    return (a->id > b->id) - (a->id < b->id);
}

/* Resolves dependencies after all nodes are read: a node may depend on later ones. */
static int join_deps(const struct chakra_file *w, const struct chakra_where *where)
{
    struct trace_rank *r = &w->trace->rank[where->rank];

    if (w->ids)
        qsort(w->of_id, w->ids, sizeof *w->of_id, by_id);
    for (uint32_t i = 1; i < w->ids; i++)
        if (w->of_id[i].id == w->of_id[i - 1].id)
            return chakra_refuse(where, w->of_id[i].id, "this id is used twice");
    if (w->ids) {
        /* Sorts operations by node id, which decides the order among ready operations. */
        struct trace_op *was = xmalloc((r->ops + 1ul) * sizeof *was);
        uint32_t        *new = xcalloc(r->ops + 1ul, sizeof *new);

        memcpy(was, r->op, r->ops * sizeof *was);
        for (uint32_t k = 0; k < r->ops; k++) {
            r->op[k] = was[w->of_id[k].op];
            new[w->of_id[k].op] = k;
        }
        for (uint64_t k = 0; k < w->deps; k++)
            w->dep[k].op = new[w->dep[k].op];
        free(was);
        free(new);
    }
    for (uint64_t i = 0; i < w->deps; i++) {
        const struct chakra_dep *dep = &w->dep[i],
                                *of = w->ids ? bsearch(dep, w->of_id, w->ids, sizeof *of, by_id) : NULL;

        if (!of)
            return chakra_refuse(where, r->op[dep->op].line, "it waits for node %llu, which does not exist",
                                 (unsigned long long)dep->id);
        trace_require(w->trace, where->rank, dep->op, (uint32_t)(of - w->of_id), false);
    }
    return 0;
}

int chakra_parse(const char *name, const void *data, size_t size, uint32_t rank, struct trace *t,
                 struct err *err)
{
    const struct chakra_where where = { name, t, rank, err };
    struct chakra_file       w = { .trace = t };
    int rc = read_nodes(&w, (struct chakra_bytes){ data, (const unsigned char *)data + size }, &where);

    rc = rc ? rc : join_deps(&w, &where);
    free(w.dep);
    free(w.of_id);
    return rc;
}

/* ---- groups ---- */

static void read_group(struct reader *r, const struct yaml_node *n, struct trace *t)
{
    uint32_t *rank, count = 0;
    uint64_t  id = 0, number = 0;
    bool     *is_listed;

    if (!n->key || text_to_uint(n->key, &id, NULL) || id == 0 || id > 1000000)
        reader_refuse(r, n, "the id of a group is a whole number from 1 on");
    else if (n->kind != YAML_LIST || n->count == 0)
        reader_refuse(r, n, "a group is a list of ranks");
    if (r->rc)
        return;
    rank = xcalloc(n->count, sizeof *rank);
    is_listed = xcalloc(t->ranks, sizeof *is_listed);
    for (const struct yaml_node *c = n->child; c && !r->rc; c = c->next) {
        if (c->kind != YAML_SCALAR || text_to_uint(c->text, &number, NULL) || number >= t->ranks)
            reader_refuse(r, c, "this is not a rank of the trace");
        else if (is_listed[number])
            reader_refuse(r, c, "this rank is listed twice");
        if (r->rc)
            break;
        is_listed[number] = true;
        rank[count++] = (uint32_t)number;
    }
    free(is_listed);
    while (!r->rc && t->groups <= id)
        trace_add_group(t, NULL, 0);
    if (r->rc) {
        free(rank);
        return;
    }
    free(t->group[id].rank);
    t->group[id] = (struct trace_group){ .rank = rank, .count = count };
}

int chakra_read_groups(const char *name, const char *text, size_t size, struct trace *t, struct err *err)
{
    struct reader   r = { .name = name, .err = err };
    struct yaml_doc doc;

    r.rc = text ? yaml_parse(&doc, name, text, size, err) : yaml_read(&doc, name, err);
    if (r.rc)
        return r.rc;
    if (!doc.root || doc.root->kind != YAML_MAP)
        r.rc = err_set(err, EINVAL, "%s: groups are an object: {\"1\": [0, 1], ..}", name);
    for (const struct yaml_node *n = doc.root ? doc.root->child : NULL; n && !r.rc; n = n->next)
        read_group(&r, n, t);
    yaml_fini(&doc);
    return r.rc;
}

/* ---- entry points ---- */

static char *file_of(const char *prefix, uint32_t rank)
{
    return xprintf("%s.%u.et", prefix, rank);
}

static uint32_t count_files(const char *prefix)
{
    struct stat about;
    uint32_t    ranks = 0;
    bool        is_there = true;

    while (is_there && ranks < TRACE_RANKS_MAX) {
        char *path = file_of(prefix, ranks);

        is_there = stat(path, &about) == 0;
        ranks += is_there;
        free(path);
    }
    return ranks;
}

static int read_rank(const char *path, uint32_t rank, struct trace *t, struct err *err)
{
    struct mapped file;
    int           rc = mapped_open(&file, path, err);

    if (rc)
        return rc;
    rc = chakra_parse(path, file.data, file.size, rank, t, err);
    mapped_close(&file);
    return rc ? rc : trace_seal_rank(t, rank, err);
}

int chakra_read(const char *prefix, const char *groups, struct trace *t, struct err *err)
{
    uint32_t ranks = count_files(prefix);

    if (!ranks)
        return err_set(err, ENOENT, "%s.0.et: %s", prefix, strerror(ENOENT));
    trace_init(t, prefix, ranks);
    t->is_by_number = true;
    int rc = groups ? chakra_read_groups(groups, NULL, 0, t, err) : 0;
    for (uint32_t i = 0; i < ranks && !rc; i++) {
        char *path = file_of(prefix, i);

        rc = read_rank(path, i, t, err);
        free(path);
    }
    rc = rc ? rc : trace_check(t, err);
    if (rc)
        trace_fini(t);
    return rc;
}
