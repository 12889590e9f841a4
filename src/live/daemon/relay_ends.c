#include "live/daemon/relay_ends.h"
#include "base/minmax.h"

#include <stdlib.h>

#define BEHIND 0x80000000u       /* links of gRPC are below */

void relay_ends_init(struct relay_ends *r, struct controller *c, uint32_t agent_devices)
{
    *r = (struct relay_ends){ .controller = c, .names_max = max_u32(agent_devices, RACK_DEVICES_MAX) };
    rack_init(&r->rack, 0);
}

static void end_free(struct relay_end *e)
{
    mux_fini(&e->mux);
    free(e);
}

void relay_ends_fini(struct relay_ends *r)
{
    for (uint32_t i = 0; i < r->ends; i++)
        end_free(r->end[i]);
    free(r->end);
    rack_fini(&r->rack);
}

/* ---- hooks ---- */

static uint32_t open_link(void *arg)
{
    struct relay_end *e = arg;

    return BEHIND | e->all->links++;
}

static void on_link(void *arg, uint32_t link, uint64_t now_us)
{
    controller_on_link(((struct relay_end *)arg)->all->controller, link, now_us);
}

static void on_msg(void *arg, uint32_t link, const struct msg *m, uint64_t now_us)
{
    struct relay_end  *e = arg;
    struct relay_ends *all = e->all;

    all->reports += m->kind == MSG_REPORT;
    if (m->kind == MSG_HELLO && !account_has_room(e->account, all->names_max, m->name))
        return;
    controller_on_msg(all->controller, link, m, now_us);
}

static void on_cut(void *arg, uint32_t link)
{
    controller_on_cut(((struct relay_end *)arg)->all->controller, link);
}

static void send_down(void *arg, const struct rack *rack)
{
    struct relay_end *e = arg;
    unsigned char    *bytes;
    size_t            length = rack_codec_write(rack, &bytes);

    serve_send(e->all->serve, e->link, bytes, length);
    free(bytes);
}

/* ---- relays ---- */

static struct relay_end *find(const struct relay_ends *r, uint32_t link)
{
    for (uint32_t i = 0; i < r->ends; i++)
        if (r->end[i]->link == link)
            return r->end[i];
    return NULL;
}

static struct relay_end *add(struct relay_ends *r, const struct rpc_event *from)
{
    struct relay_end *e = xcalloc(1, sizeof *e);

    *e = (struct relay_end){ .all = r, .link = from->link, .account = from->account };
    mux_init(&e->mux, &(struct mux_io){ open_link, on_link, on_msg, on_cut, send_down, e });
    r->end = xrealloc(r->end, (r->ends + 1ul) * sizeof *r->end);
    r->end[r->ends++] = e;
    return e;
}

int relay_ends_on_event(struct relay_ends *r, const struct rpc_event *from, uint64_t now_us)
{
    struct relay_end *e = find(r, from->link);
    int               rc = rack_codec_read(&r->rack, from->bytes, from->length);

    if (rc)
        return rc;
    r->current = e ? e : add(r, from);
    mux_on_rack(&r->current->mux, &r->rack, now_us);
    r->current = NULL;
    return 0;
}

void relay_ends_cut(struct relay_ends *r, uint32_t link)
{
    for (uint32_t i = 0; i < r->ends; i++)
        if (r->end[i]->link == link) {
            mux_on_cut(&r->end[i]->mux);
            end_free(r->end[i]);
            r->end[i] = r->end[--r->ends];
            return;
        }
}

bool relay_ends_send(struct relay_ends *r, uint32_t link, const struct msg *m)
{
    if (!(link & BEHIND))
        return false;
    if (m->kind == MSG_LEARN)
        return true;             /* relays do not carry it */
    if (r->current && mux_send(&r->current->mux, link, m))
        return true;
    for (uint32_t i = 0; i < r->ends; i++)
        if (mux_send(&r->end[i]->mux, link, m))
            break;
    return true;                 /* one that is gone is no mistake */
}

void relay_ends_flush(struct relay_ends *r)
{
    for (uint32_t i = 0; i < r->ends; i++)
        mux_flush(&r->end[i]->mux);
}
