#include "report/trace/pcap.h"

#include "base/err.h"
#include "net/address.h"

#include <stdlib.h>
#include <string.h>

#define SNAP      96u            /* bytes of the longest headers, and some */
#define FCS       4u
#define UDP_PORT  4791u
#define QP_ACK    0x800000u      /* in the number of a queue pair: its receiver's end */

enum opcode { SEND_FIRST, SEND_MIDDLE, SEND_LAST, SEND_ONLY = 4, ACKNOWLEDGE = 0x11, NOTIFY = 0x81 };

struct pcap {
    FILE       *out;
    struct sim *sim;
    uint64_t    bytes, bytes_max, left_out;
    uint32_t   *interface;       /* by port: number + 1; 0: not shown */
    uint64_t   *begin;           /* by flow: where its message begins, as far as has been seen */
    uint32_t    flows;
};

struct frame { unsigned char b[SNAP]; uint32_t size; };

/* ---- blocks ---- */

static void put32(unsigned char *p, uint32_t n)
{
    for (int i = 0; i < 4; i++)
        p[i] = (unsigned char)(n >> 8 * i);
}

/* A block: its body is padded to four bytes. */
static void write_block(struct pcap *p, uint32_t type, const unsigned char *body, uint32_t size)
{
    static const unsigned char zeros[4] = { 0 };
    unsigned char              head[8];
    uint32_t                   padded = (size + 3) / 4 * 4, total = padded + 12;

    put32(head, type);
    put32(head + 4, total);
    fwrite(head, 1, 8, p->out);
    fwrite(body, 1, size, p->out);
    fwrite(zeros, 1, padded - size, p->out);
    fwrite(head + 4, 1, 4, p->out);
    p->bytes += total;
}

static void write_section(struct pcap *p)
{
    static const unsigned char body[] = { 0x4d, 0x3c, 0x2b, 0x1a, 1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };

    write_block(p, 0x0a0d0d0a, body, sizeof body);
}

static uint32_t put_option(unsigned char *at, uint32_t code, const void *value, uint32_t size)
{
    memset(at, 0, 4 + (size + 3) / 4 * 4);
    at[0] = (unsigned char)code;
    at[2] = (unsigned char)size;
    memcpy(at + 4, value, size);
    return 4 + (size + 3) / 4 * 4;
}

static void write_interface(struct pcap *p, const struct port *port)
{
    unsigned char body[96] = { 1 }, speed[8];
    char          name[40];
    uint32_t      size = 8;
    int           length = snprintf(name, sizeof name, "%.15s:%u", p->sim->net.graph.node[port->node->id].name, port->index);

    put32(speed, (uint32_t)port->rate_bps);
    put32(speed + 4, (uint32_t)(port->rate_bps >> 32));
    size += put_option(body + size, 2, name, (uint32_t)length);
    size += put_option(body + size, 8, speed, 8);
    size += put_option(body + size, 9, "\x0c", 1);
    size += put_option(body + size, 0, "", 0);
    write_block(p, 1, body, size);
}

static void write_packet(struct pcap *p, uint32_t interface, uint64_t at_ps, const struct frame *f, uint32_t length)
{
    unsigned char body[20 + SNAP];

    put32(body, interface);
    put32(body + 4, (uint32_t)(at_ps >> 32));
    put32(body + 8, (uint32_t)at_ps);
    put32(body + 12, f->size);
    put32(body + 16, length);
    memcpy(body + 20, f->b, f->size);
    write_block(p, 6, body, 20 + f->size);
}

/* ---- frames ---- */

static void add(struct frame *f, uint64_t value, uint32_t bytes)
{
    while (bytes-- > 0)
        f->b[f->size++] = (unsigned char)(value >> 8 * bytes);
}

static void add_ethernet(struct frame *f, uint64_t dst, uint32_t src_node, uint32_t type)
{
    add(f, dst, 6);
    add(f, 0x020000000000ull | src_node, 6);
    add(f, type, 2);
}

static uint32_t checksum(const unsigned char *p, uint32_t size)
{
    uint32_t sum = 0;

    for (uint32_t i = 0; i < size; i += 2)
        sum += (uint32_t)p[i] << 8 | p[i + 1];
    sum = (sum & 0xffff) + (sum >> 16);
    return ~(sum + (sum >> 16)) & 0xffff;
}

static void add_ip(struct frame *f, const struct packet *k, uint32_t length)
{
    uint32_t from = f->size, ecn = k->flags & PACKET_NOT_ECT || k->kind == PACKET_CNP ? 0 : 2, sum;

    if (k->kind == PACKET_DATA && k->flags & PACKET_ECN)
        ecn = 3;
    add(f, 0x45, 1);
    add(f, (uint32_t)k->prio << 5 | ecn, 1);
    add(f, length - 14, 2);
    add(f, 0x00004000, 4);
    add(f, 0x40110000, 4);
    add(f, address_of_node(k->src), 4);
    add(f, address_of_node(k->dst), 4);
    sum = checksum(f->b + from, 20);
    f->b[from + 10] = (unsigned char)(sum >> 8);
    f->b[from + 11] = (unsigned char)sum;
    add(f, k->ports & 0xffff, 2);
    add(f, UDP_PORT, 2);
    add(f, length - 34, 2);
    add(f, 0, 2);
}

static void add_bth(struct frame *f, enum opcode opcode, uint32_t pad, uint32_t qp, bool asks, uint64_t psn)
{
    add(f, opcode, 1);
    add(f, 0x40 | pad << 4, 1);
    add(f, 0xffff, 2);
    add(f, opcode == NOTIFY ? 0x40 : 0, 1);
    add(f, qp & 0xffffff, 3);
    add(f, asks ? 0x80 : 0, 1);
    add(f, psn & 0xffffff, 3);
}

/* Which part of its message a data packet is. A lasting queue pair's next message begins where the last one ended. */
static enum opcode part_of(struct pcap *p, const struct packet *k, uint64_t seq)
{
    bool is_first, is_last = k->flags & PACKET_LAST;

    if (k->flow >= p->flows) {
        uint32_t was = p->flows;

        p->flows = k->flow + k->flow / 2 + 1024;
        p->begin = xrealloc(p->begin, p->flows * sizeof *p->begin);
        memset(p->begin + was, 0, (p->flows - was) * sizeof *p->begin);
    }
    is_first = seq == 0 || seq == p->begin[k->flow];
    if (is_last)
        p->begin[k->flow] = seq + k->payload;
    return is_first ? (is_last ? SEND_ONLY : SEND_FIRST) : is_last ? SEND_LAST : SEND_MIDDLE;
}

static bool make_frame(struct pcap *p, const struct port *port, const struct packet *k, struct frame *f, uint32_t length)
{
    uint32_t mtu = p->sim->cfg.mtu_bytes;
    uint64_t seq = k->seq & ~SEQ_TIMEOUT;

    if (k->kind == PACKET_PFC) {
        add_ethernet(f, 0x0180c2000001ull, port->node->id, 0x8808);
        add(f, 0x0101, 2);
        add(f, 1u << k->prio, 2);
        for (uint32_t c = 0; c < PRIOS; c++)
            add(f, c == k->prio && k->seq ? 0xffff : 0, 2);
        return true;
    }
    if ((k->kind == PACKET_DATA || k->kind == PACKET_ACK) && k->flags & PACKET_TCP)
        return false;
    if (k->kind == PACKET_CNP && k->flags & (PACKET_PROBE | PACKET_WOVEN))
        return false;
    add_ethernet(f, 0x020000000000ull | k->dst, k->src, 0x0800);
    add_ip(f, k, length);
    switch (k->kind) {
    case PACKET_DATA:
        add_bth(f, part_of(p, k, seq), (4 - k->payload % 4) % 4, k->flow, k->flags & PACKET_LAST, seq / mtu);
        break;
    case PACKET_CNP:
        add_bth(f, NOTIFY, 0, k->flow, false, 0);
        f->b[f->size - 11] = 0;
        for (int i = 0; i < 16; i++)
            add(f, 0, 1);
        break;
    default:                     /* up to which packet all has come, or which one is expected */
        add_bth(f, ACKNOWLEDGE, 0, k->flow | QP_ACK, false, k->kind == PACKET_NACK ? seq / mtu : seq ? (seq - 1) / mtu : 0);
        add(f, k->kind == PACKET_NACK ? 0x60 : 0x1f, 1);
        add(f, 0, 3);
    }
    return true;
}

static void on_frame(void *arg, uint64_t now_ps, const struct port *port, const struct packet *k)
{
    struct pcap *p = arg;
    struct frame f = { .size = 0 };
    uint32_t     length = k->bytes > FCS ? k->bytes - FCS : k->bytes;

    if (p->bytes + SNAP + 64 > p->bytes_max || !make_frame(p, port, k, &f, length)) {
        p->left_out++;
        return;
    }
    f.size = f.size < length ? f.size : length;
    write_packet(p, p->interface[port->id] - 1, now_ps, &f, length);
}

/* ---- opening and closing ---- */

static void tap(struct pcap *p, struct port *port, uint32_t *interfaces)
{
    port->slow_path |= SLOW_TAPPED;
    p->interface[port->id] = ++*interfaces;
    write_interface(p, port);
}

struct pcap *pcap_open(FILE *out, struct sim *s, uint64_t bytes_max)
{
    struct pcap *p = xcalloc(1, sizeof *p);
    uint32_t     interfaces = 0;

    *p = (struct pcap){ .out = out, .sim = s, .bytes_max = bytes_max, .interface = xcalloc(s->net.ports + 1ul, sizeof *p->interface) };
    write_section(p);
    for (uint32_t i = 0; i < s->net.ports; i++)
        if (!s->net.port[i].is_switch) {
            tap(p, &s->net.port[i], &interfaces);
            tap(p, s->net.port[i].peer, &interfaces);
        }
    s->engine.tap = (struct engine_tap){ p, on_frame };
    return p;
}

uint64_t pcap_close(struct pcap *p)
{
    uint64_t left_out = p->left_out;

    for (uint32_t i = 0; i < p->sim->net.ports; i++)
        p->sim->net.port[i].slow_path &= (uint16_t)~SLOW_TAPPED;
    free(p->interface);
    free(p->begin);
    free(p);
    return left_out;
}
