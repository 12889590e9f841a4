#include "report/trace/pcap.h"

#include "base/err.h"
#include "net/address.h"
#include "report/trace/icrc.h"

#include <stdlib.h>
#include <string.h>

#define SNAP      96u            /* bytes of the longest headers, and some */
#define BLOCK_MAX (SNAP + 64u)   /* of a packet without its payload, with some room behind it: see be() */
#define BUFFER    (1u << 18)     /* is written at once */
#define FCS       4u
#define ICRC      4u
#define ETHERNET  14u
#define FRAME_MAX 16384u         /* longer ones are cut behind their headers */
#define UDP_PORT  4791u
#define QP_FIRST  16u            /* of flow 0: numbers 0 and 1 are for management, and Wireshark takes what they carry for that */
#define QP_ACK    0x800000u      /* in the number of a queue pair: its receiver's end */

enum opcode { SEND_FIRST, SEND_MIDDLE, SEND_LAST, SEND_ONLY = 4, ACKNOWLEDGE = 0x11, NOTIFY = 0x81 };

struct pcap {
    FILE          *out;
    struct sim    *sim;
    uint64_t       bytes, bytes_max, left_out;
    uint32_t      *interface;    /* by port: number + 1; 0: not shown */
    uint64_t      *begin;        /* by flow: where its message begins, as far as has been seen */
    uint32_t       flows;
    bool           has_payload;
    struct icrc    icrc;
    uint32_t       used;         /* of the buffer */
    unsigned char *buffer;
};

/* ---- blocks ---- */

static void flush(struct pcap *p)
{
    fwrite(p->buffer, 1, p->used, p->out);       /* whoever closes the file sees what went wrong */
    p->used = 0;
}

static void put32(unsigned char *p, uint32_t n)
{
    for (int i = 0; i < 4; i++)
        p[i] = (unsigned char)(n >> 8 * i);
}

/* Where the body of a block begins, with room for so much of it and some more. */
static unsigned char *begin_block(struct pcap *p, uint32_t size)
{
    if (p->used + size + 64 > BUFFER)
        flush(p);
    return p->buffer + p->used + 8;
}

/* The body is there: it is padded to four bytes, and gets its head and its tail. */
static void end_block(struct pcap *p, uint32_t type, uint32_t size)
{
    unsigned char *at = p->buffer + p->used;
    uint32_t       padded = (size + 3) / 4 * 4, total = padded + 12;

    memset(at + 8 + size, 0, 4);
    put32(at, type);
    put32(at + 4, total);
    put32(at + 8 + padded, total);
    p->used += total;
    p->bytes += total;
}

static void write_section(struct pcap *p)
{
    static const unsigned char body[] = { 0x4d, 0x3c, 0x2b, 0x1a, 1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };

    memcpy(begin_block(p, sizeof body), body, sizeof body);
    end_block(p, 0x0a0d0d0a, sizeof body);
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
    unsigned char *body = begin_block(p, 96), speed[8];
    char           name[40];
    uint32_t       size = 8;
    int            length = snprintf(name, sizeof name, "%.15s:%u", p->sim->net.graph.node[port->node->id].name, port->index);

    memset(body, 0, 8);
    body[0] = 1;
    put32(speed, (uint32_t)port->rate_bps);
    put32(speed + 4, (uint32_t)(port->rate_bps >> 32));
    size += put_option(body + size, 2, name, (uint32_t)length);
    size += put_option(body + size, 8, speed, 8);
    size += put_option(body + size, 9, "\x0c", 1);
    size += put_option(body + size, 0, "", 0);
    end_block(p, 1, size);
}

/* ---- frames ---- */

/* The last so many bytes of a number, the largest first, as one store of eight: what comes behind is written after it. */
static inline unsigned char *be(unsigned char *at, uint64_t value, uint32_t bytes)
{
    value <<= 64 - 8 * bytes;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    value = __builtin_bswap64(value);
#endif
    memcpy(at, &value, 8);
    return at + bytes;
}

static inline unsigned char *put_ethernet(unsigned char *at, uint64_t dst, uint32_t src_node, uint32_t type)
{
    at = be(at, dst, 6);
    at = be(at, 0x020000000000ull | src_node, 6);
    return be(at, type, 2);
}

/* Of a header in which the rest is always the same. */
static inline uint32_t checksum(uint32_t first, uint32_t length, uint32_t src, uint32_t dst)
{
    uint32_t sum = first + length + 0x4000 + 0x4011 + (src >> 16) + (src & 0xffff) + (dst >> 16) + (dst & 0xffff);

    sum = (sum & 0xffff) + (sum >> 16);
    return ~(sum + (sum >> 16)) & 0xffff;
}

static inline unsigned char *put_ip(unsigned char *at, const struct packet *k, uint32_t length)
{
    uint32_t ecn = k->flags & PACKET_NOT_ECT || k->kind == PACKET_CNP ? 0 : 2, first, src = address_of_node(k->src), dst = address_of_node(k->dst);

    if (k->kind == PACKET_DATA && k->flags & PACKET_ECN)
        ecn = 3;
    first = 0x4500 | (uint32_t)k->prio << 5 | ecn;
    at = be(at, (uint64_t)first << 48 | (uint64_t)(length - 14) << 32 | 0x00004000, 8);
    at = be(at, 0x4011ull << 16 | checksum(first, length - 14, src, dst), 4);
    at = be(at, (uint64_t)src << 32 | dst, 8);
    return be(at, (uint64_t)(k->ports & 0xffff) << 48 | (uint64_t)UDP_PORT << 32 | (uint64_t)(length - 34) << 16, 8);
}

static inline unsigned char *put_bth(unsigned char *at, enum opcode opcode, uint32_t pad, uint32_t qp, bool asks, uint64_t psn)
{
    at = be(at, (uint64_t)opcode << 24 | (0x40 | pad << 4) << 16 | 0xffff, 4);
    return be(at, (uint64_t)(opcode == NOTIFY ? 0x40 : 0) << 56 | (uint64_t)(qp & 0xffffff) << 32 | (asks ? 0x80000000u : 0) | (psn & 0xffffff), 8);
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

static unsigned char *put_pause(unsigned char *at, const struct port *port, const struct packet *k)
{
    at = put_ethernet(at, 0x0180c2000001ull, port->node->id, 0x8808);
    at = be(at, 0x01010000u | 1u << k->prio, 4);
    for (uint32_t c = 0; c < PRIOS; c++)
        at = be(at, c == k->prio && k->seq ? 0xffff : 0, 2);
    return at;
}

/* Returns where it ends; NULL: such frames are not shown. */
static unsigned char *put_frame(struct pcap *p, unsigned char *at, const struct port *port, const struct packet *k, uint32_t length)
{
    uint32_t mtu = p->sim->cfg.mtu_bytes;
    uint64_t seq = k->seq & SEQ_BITS;

    if (k->kind == PACKET_PFC)
        return put_pause(at, port, k);
    if ((k->kind == PACKET_DATA || k->kind == PACKET_ACK) && k->flags & PACKET_TCP)
        return NULL;
    if (k->kind == PACKET_CNP && k->flags & (PACKET_PROBE | PACKET_WOVEN))
        return NULL;
    at = put_ethernet(at, 0x020000000000ull | k->dst, k->src, 0x0800);
    at = put_ip(at, k, length);
    switch (k->kind) {
    case PACKET_DATA:
        return put_bth(at, part_of(p, k, seq), (4 - k->payload % 4) % 4, QP_FIRST + k->flow, k->flags & PACKET_LAST || k->seq & SEQ_ASKS, seq / mtu);
    case PACKET_CNP:
        at = put_bth(at, NOTIFY, 0, QP_FIRST + k->flow, false, 0);
        at[-11] = 0;
        memset(at, 0, 16);
        return at + 16;
    default:                     /* up to which packet all has come, or which one is expected */
        at = put_bth(at, ACKNOWLEDGE, 0, (QP_FIRST + k->flow) | QP_ACK, false, k->kind == PACKET_NACK ? seq / mtu : seq ? (seq - 1) / mtu : 0);
        return be(at, k->kind == PACKET_NACK ? 0x60000000u : 0x1f000000u, 4);
    }
}

/* Behind the headers: payload, and the ICRC. Returns how long the frame is then. */
static uint32_t end_frame(struct pcap *p, unsigned char *frame, uint32_t headers, uint32_t length)
{
    if (length > FRAME_MAX || length < headers + ICRC)
        return headers;
    memset(frame + headers, 0, length - headers - ICRC);
    put32(frame + length - ICRC, icrc_of(&p->icrc, frame + ETHERNET, headers - ETHERNET, length - headers - ICRC));
    return length;
}

static void on_frame(void *arg, uint64_t now_ps, const struct port *port, const struct packet *k)
{
    struct pcap   *p = arg;
    uint32_t       length = k->bytes > FCS ? k->bytes - FCS : k->bytes, size;
    uint32_t       payload = p->has_payload && length <= FRAME_MAX ? length : 0;
    unsigned char *body, *end;

    if (p->bytes + BLOCK_MAX + payload > p->bytes_max) {
        p->left_out++;
        return;
    }
    body = begin_block(p, BLOCK_MAX + payload);
    end = put_frame(p, body + 20, port, k, length);
    if (!end) {
        p->left_out++;
        return;
    }
    size = (uint32_t)(end - body) - 20;
    if (p->has_payload && k->kind != PACKET_PFC)
        size = end_frame(p, body + 20, size, length);
    size = size < length ? size : length;
    put32(body, p->interface[port->id] - 1);
    put32(body + 4, (uint32_t)(now_ps >> 32));
    put32(body + 8, (uint32_t)now_ps);
    put32(body + 12, size);
    put32(body + 16, length);
    end_block(p, 6, 20 + size);
}

/* ---- opening and closing ---- */

static void tap(struct pcap *p, struct port *port, uint32_t *interfaces)
{
    port->slow_path |= SLOW_TAPPED;
    p->interface[port->id] = ++*interfaces;
    write_interface(p, port);
}

struct pcap *pcap_open(FILE *out, struct sim *s, uint64_t bytes_max, bool has_payload)
{
    struct pcap *p = xcalloc(1, sizeof *p);
    uint32_t     interfaces = 0;

    *p = (struct pcap){ .out = out, .sim = s, .bytes_max = bytes_max, .has_payload = has_payload, .interface = xcalloc(s->net.ports + 1ul, sizeof *p->interface),
                         .buffer = xmalloc(BUFFER) };
    icrc_init(&p->icrc, s->cfg.mtu_bytes);
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

    flush(p);
    for (uint32_t i = 0; i < p->sim->net.ports; i++)
        p->sim->net.port[i].slow_path &= (uint16_t)~SLOW_TAPPED;
    free(p->interface);
    free(p->begin);
    free(p->buffer);
    free(p);
    return left_out;
}
