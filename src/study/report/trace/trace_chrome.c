#include "study/report/trace/trace.h"

#include "base/err.h"
#include "core/units.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

#define EVENT_BYTES_MAX 400u

enum { FLOWS = 1, PAUSES, QUEUES, WORK };

static const char *const processes[] = { [FLOWS] = "flows", [PAUSES] = "pauses", [QUEUES] = "queues",
                                         [WORK] = "work" };

struct chrome {
    FILE                    *out;
    const struct sim        *sim;
    uint64_t                 bytes, bytes_max, left_out, flows;
    uint8_t                 *paused;         /* by port: classes that are */
    uint64_t                *queue;          /* by port: bytes at the last look */
    uint64_t                 ops;
    bool                    *is_named;       /* by node, and behind them by port: its row has a name */
    bool                     is_first;
};

static bool write_event(struct chrome *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* One event; false: there is no room for it. */
static bool write_event(struct chrome *c, const char *format, ...)
{
    va_list args;

    if (c->bytes + EVENT_BYTES_MAX > c->bytes_max) {
        c->left_out++;
        return false;
    }
    fputs(c->is_first ? "\n" : ",\n", c->out);
    c->is_first = false;
    va_start(args, format);
    int length = vfprintf(c->out, format, args);
    va_end(args);
    c->bytes += length > 0 ? (uint64_t)length + 2 : 0;
    return true;
}

static double us(uint64_t ps)
{
    return (double)ps / (double)PS_PER_US;
}

/* The name of a node within a JSON string. */
struct json_name { char buf[2 * sizeof(((struct graph_node *)NULL)->name)]; };

static struct json_name name_of(const struct chrome *c, uint32_t node)
{
    struct json_name name;
    char            *to = name.buf;

    for (const char *from = sim_graph(c->sim)->node[node].name; *from; from++) {
        if (*from == '"' || *from == '\\')
            *to++ = '\\';
        *to++ = (char)((unsigned char)*from < ' ' ? '?' : *from);
    }
    *to = '\0';
    return name;
}

/* Names a process or, within it, a row. */
static bool write_name(struct chrome *c, const char *kind, int process, uint32_t row, const char *name)
{
    char where[24] = "";

    if (*kind == 't')
        snprintf(where, sizeof where, ", \"tid\": %u", row);
    return write_event(c, "{\"ph\": \"M\", \"name\": \"%s_name\", \"pid\": %d%s, \"args\": {\"name\": "
                       "\"%s\"}}", kind, process, where, name);
}

struct chrome *chrome_open(FILE *out, const struct sim *s, uint64_t bytes_max)
{
    struct chrome *c = xcalloc(1, sizeof *c);

    *c = (struct chrome){ .out = out, .sim = s, .bytes_max = bytes_max, .is_first = true,
                          .paused = xcalloc(sim_ports(s) + 1ul, sizeof *c->paused),
                          .queue = xcalloc(sim_ports(s) + 1ul, sizeof *c->queue),
                          .is_named = xcalloc(1ul + sim_graph(s)->nodes + sim_ports(s), 1) };
    fputs("{\"traceEvents\": [", out);
    for (int i = FLOWS; i <= WORK; i++)
        write_name(c, "process", i, 0, processes[i]);
    return c;
}

/* A span: a pair of events with a number of its own, because spans of a row overlap. 'args' are those of its
 * begin. If the first does not fit, neither is written. */
static void write_span(struct chrome *c, const char *name, const char *category, uint64_t id, int process,
                       uint32_t row, uint64_t start_ps, uint64_t end_ps, const char *args)
{
    static const char event[] = "{\"ph\": \"%c\", \"cat\": \"%s\", \"name\": \"%s\", \"id\": %" PRIu64
                                ", \"pid\": %d, \"tid\": %u, \"ts\": %.6f%s%s%s}";

    if (write_event(c, event, 'b', category, name, id, process, row, us(start_ps), ", \"args\": {", args,
                    "}"))
        write_event(c, event, 'e', category, name, id, process, row, us(end_ps), "", "", "");
}

void chrome_on_flow(struct chrome *c, const struct flow_result *r)
{
    char name[100], args[160];

    if (!c->is_named[r->src])
        c->is_named[r->src] = write_name(c, "thread", FLOWS, r->src, name_of(c, r->src).buf);
    snprintf(name, sizeof name, "%s -> %s", name_of(c, r->src).buf, name_of(c, r->dst).buf);
    snprintf(args, sizeof args, "\"bytes\": %" PRIu64 ", \"slowdown\": %.3f, \"resent_bytes\": %" PRIu64,
             r->bytes, r->ideal_ps ? (double)r->fct_ps / (double)r->ideal_ps : 0, r->resent_bytes);
    write_span(c, name, "flow", c->flows++, FLOWS, r->src, r->start_ps, r->start_ps + r->fct_ps, args);
}

/* A port counts as paused while any of its classes is. */
void chrome_on_pfc(struct chrome *c, const struct pfc_result *r)
{
    uint32_t port = sim_node(c->sim, r->node).first_port + r->port - 1;
    uint8_t  was = c->paused[port], bit = (uint8_t)(1u << r->prio), is = r->is_pause ? was | bit : was & ~bit;
    bool    *is_named = &c->is_named[sim_graph(c->sim)->nodes + port];
    char     name[40];

    c->paused[port] = is;
    if (!was == !is)
        return;
    snprintf(name, sizeof name, "%s:%u", name_of(c, r->node).buf, r->port);
    if (!*is_named)
        *is_named = write_name(c, "thread", PAUSES, port, name);
    write_event(c, "{\"ph\": \"%s\", \"name\": \"paused\", \"cat\": \"pfc\", \"pid\": %d, \"tid\": %u, "
                "\"ts\": %.6f}", is ? "B" : "E", PAUSES, port, us(r->at_ps));
}

void chrome_on_op(struct chrome *c, const struct op_result *r)
{
    static const char *const names[OP_KINDS] = { "iteration", "read", "write", "call" };
    char                     args[40];

    snprintf(args, sizeof args, "\"bytes\": %" PRIu64, r->bytes);
    write_span(c, names[r->kind], "work", c->ops++, WORK, r->traffic + 1, r->start_ps,
               r->start_ps + r->took_ps, args);
}

void chrome_on_step(struct chrome *c, uint32_t step, uint64_t start_ps, uint64_t end_ps, const char *note)
{
    char name[32], args[120];

    snprintf(name, sizeof name, "step %u", step);
    snprintf(args, sizeof args, "\"last\": \"%s\"", note);
    write_span(c, name, "step", c->ops++, WORK, 0, start_ps, end_ps, args);
}

void chrome_on_sample(struct chrome *c, uint64_t now_ps)
{
    for (uint32_t i = 0; i < sim_ports(c->sim); i++) {
        struct sim_port p = sim_port(c->sim, i);

        if (p.queue_bytes == c->queue[i])
            continue;
        c->queue[i] = p.queue_bytes;
        write_event(c, "{\"ph\": \"C\", \"name\": \"%s:%u\", \"pid\": %d, \"ts\": %.6f, \"args\": "
                       "{\"bytes\": %" PRIu64 "}}",
                    name_of(c, p.node).buf, p.index, QUEUES, us(now_ps), p.queue_bytes);
    }
}

uint64_t chrome_close(struct chrome *c)
{
    uint64_t left_out = c->left_out;

    fprintf(c->out, "\n], \"otherData\": {\"left_out\": %" PRIu64 "}}\n", left_out);
    free(c->paused);
    free(c->queue);
    free(c->is_named);
    free(c);
    return left_out;
}
