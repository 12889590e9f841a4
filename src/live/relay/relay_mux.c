#include "live/relay/relay.h"

#include <string.h>

void mux_init(struct mux *m, const struct mux_io *io)
{
    memset(m, 0, sizeof *m);
    m->io = *io;
    rack_init(&m->down, 0);
}

void mux_fini(struct mux *m)
{
    rack_fini(&m->down);
}

/* ---- slots ---- */

static struct mux_slot *by_slot(struct mux *m, uint32_t slot)
{
    for (uint32_t i = 0; i < m->slots; i++)
        if (m->slot[i].slot == slot)
            return &m->slot[i];
    return NULL;
}

static void forget(struct mux *m, struct mux_slot *s)
{
    uint32_t link = s->link;

    *s = m->slot[--m->slots];
    m->io.on_cut(m->io.arg, link);
}

void mux_on_cut(struct mux *m)
{
    while (m->slots)
        forget(m, &m->slot[m->slots - 1]);
    rack_clear(&m->down);
    m->life = 0;
}

/* NULL: there is no room. */
static struct mux_slot *slot_of(struct mux *m, uint32_t slot, uint64_t now_us)
{
    struct mux_slot *s = by_slot(m, slot);

    if (s || m->slots == RACK_DEVICES_MAX)
        return s;
    s = &m->slot[m->slots++];
    *s = (struct mux_slot){ .slot = slot, .link = m->io.on_link(m->io.arg, now_us) };
    return s;
}

/* ---- up ---- */

/* The first report of a host in a rack gets its messages, so that they count once. False: there are none. */
static bool take_seen(struct mux *m, uint32_t slot, struct seen_part *seen)
{
    const struct rack *up = m->up;

    for (uint32_t i = 0; i < up->messages_count; i++) {
        if (up->messages[i].slot != slot)
            continue;
        if (m->is_handed_on[i])
            seen_part_clear(seen);
        else
            seen_part_copy(seen, &up->messages[i].part);
        m->is_handed_on[i] = true;
        return true;
    }
    return false;
}

/* The details of a report; NULL: none. */
static const struct msg_detail *detail_of(struct mux *m, uint32_t slot, const struct fsd *flows)
{
    m->detail->has_seen = take_seen(m, slot, &m->detail->seen);
    if (!flows && !m->detail->has_seen)
        return NULL;
    m->detail->fsd = flows ? *flows : (struct fsd){ 0 };
    return m->detail;
}

/* 'report' has what all rows have in common. */
static void hand_on_row(struct mux *m, const struct rack_row *row, struct msg *report,
                        const struct fsd *flows, uint64_t now_us)
{
    struct mux_slot *s = slot_of(m, row->slot, now_us);

    if (!s || !s->incarnation)
        return;                  /* it was asked for a hello */
    report->incarnation = s->incarnation;
    report->stamp_us = row->stamp_us;
    report->sample = row->sample;
    report->sample.detail = detail_of(m, row->slot, flows);
    m->current = s;
    m->io.on_msg(m->io.arg, s->link, report, now_us);
}

static void hand_on_item(struct mux *m, const struct rack_item *item, uint64_t now_us)
{
    struct mux_slot *s = slot_of(m, item->slot, now_us);

    if (!s)
        return;
    if (item->msg.kind == MSG_HELLO)
        s->incarnation = item->msg.incarnation;
    m->current = s;
    if (item->msg.kind == MSG_REPORT && m->up->messages_count) {
        struct msg report = item->msg;

        report.sample.detail = detail_of(m, item->slot, NULL);
        m->io.on_msg(m->io.arg, s->link, &report, now_us);
    } else
        m->io.on_msg(m->io.arg, s->link, &item->msg, now_us);
}

static void send_down(struct mux *m)
{
    m->io.send_down(m->io.arg, &m->down);
    rack_clear(&m->down);
}

/* Answers a rack: with its number if all reports got a lease of one term, else lease by lease. */
static void answer(struct mux *m)
{
    uint32_t reports = m->up->rows;

    for (uint32_t i = 0; i < m->up->items; i++)
        reports += m->up->item[i].msg.kind == MSG_REPORT;
    bool is_all = m->leases && m->leases == reports;
    for (uint32_t i = 0; i < m->leases; i++)
        is_all &= m->lease[i].term == m->lease[0].term;
    if (is_all) {
        m->down.number = m->up->number;
        m->down.term = m->lease[0].term;
    }
    for (uint32_t i = 0; i < m->leases && !is_all; i++)
        rack_add(&m->down, m->lease[i].slot, &(struct msg){ .kind = MSG_LEASE, .term = m->lease[i].term,
                 .incarnation = m->lease[i].incarnation, .stamp_us = m->lease[i].stamp_us });
}

void mux_on_rack(struct mux *m, const struct rack *up, uint64_t now_us)
{
    struct mux_lease  lease[MUX_LEASES_MAX];
    struct msg        report = { .kind = MSG_REPORT };
    struct msg_detail detail;
    bool              has_flows = up->fsd.elephants || up->fsd.mice;

    if (up->life != m->life)
        mux_on_cut(m);           /* another life: slots have another meaning */
    m->life = m->down.life = up->life;
    m->up = up;
    m->lease = lease;
    m->leases = 0;
    m->detail = &detail;
    detail.ports = detail.pairs = 0;
    memset(m->is_handed_on, 0, up->messages_count * sizeof *m->is_handed_on);
    for (uint32_t i = 0; i < up->items; i++)
        hand_on_item(m, &up->item[i], now_us);
    for (uint32_t i = 0; i < up->rows; i++)
        hand_on_row(m, &up->row[i], &report, has_flows && i == 0 ? &up->fsd : NULL, now_us);
    for (uint32_t i = 0; i < up->gones; i++)
        if (by_slot(m, up->gone[i]))
            forget(m, by_slot(m, up->gone[i]));
    answer(m);
    m->up = NULL;
    m->lease = NULL;
    m->detail = NULL;
    m->leases = 0;
    m->current = NULL;
    send_down(m);                /* even if there is nothing to say: the relay is to know that it was heard */
}

/* ---- down ---- */

static const struct mux_slot *by_link(const struct mux *m, uint32_t link)
{
    if (m->current && m->current->link == link)
        return m->current;
    for (uint32_t i = 0; i < m->slots; i++)
        if (m->slot[i].link == link)
            return &m->slot[i];
    return NULL;
}

bool mux_send(struct mux *m, uint32_t link, const struct msg *msg)
{
    const struct mux_slot *s = by_link(m, link);

    if (!s)
        return false;
    if (m->up && s == m->current && msg->kind == MSG_LEASE && !msg->at_us && !msg->has_control &&
        m->leases < MUX_LEASES_MAX)
        m->lease[m->leases++] = (struct mux_lease){ s->slot, msg->term, msg->incarnation, msg->stamp_us };
    else
        rack_add(&m->down, s->slot, msg);
    return true;
}

void mux_flush(struct mux *m)
{
    if (!rack_is_empty(&m->down))
        send_down(m);
}
