#include "study/report/trace/trace.h"

#include "base/err.h"
#include "work/net/address.h"
#include "study/report/trace/icrc.h"
#include "sim/event/packet.h"

#include <stdlib.h>
#include <string.h>

#define SNAP      96u            /* more than the longest headers */
#define BLOCK_MAX (SNAP + 64u)   /* of a packet without its payload, with spare room: see be() */
#define FCS       4u
#define ICRC      4u
#define ETHERNET  14u
#define FRAME_MAX 16384u         /* longer frames are cut after their headers */
#define UDP_PORT  4791u
#define QP_FIRST  16u            /* Wireshark dissects numbers 0 and 1 as management */
#define QP_SENDER 0x800000u      /* bit of a queue pair's number: its sender's end */

#define DETH      8u

enum opcode {
    SEND_FIRST, SEND_MIDDLE, SEND_LAST, SEND_ONLY = 4, ACKNOWLEDGE = 0x11, DATAGRAM = 0x64, NOTIFY = 0x81,
};

/* A message, as seen so far. Its packets have the PSNs from 'psn' on. */
struct seen_message { uint64_t begin, psn; };

/* A queue pair. Messages are in order, and the last one has not ended: 'begin' is where it will begin. */
struct seen_pair {
    uint32_t             number;         /* of its receiver's end; 0: not seen yet */
    uint16_t             generation;
    uint32_t             messages, messages_max;
    struct seen_message *message;
};

struct pcap {
    FILE             *out;
    struct sim       *sim;
    uint64_t          bytes, bytes_max, left_out;
    bool              is_full;
    uint32_t         *interface; /* by port: number + 1; 0: not shown */
    struct seen_pair *pair;      /* by flow */
    uint32_t          pairs, next_number;
    bool              has_payload;
    struct icrc       icrc;
    unsigned char     block[BLOCK_MAX + FRAME_MAX];      /* its body is behind two numbers */
};

/* ---- blocks ---- */

static void put32(unsigned char *p, uint32_t n)
{
    for (int i = 0; i < 4; i++)
        p[i] = (unsigned char)(n >> 8 * i);
}

/* Pads the body to four bytes, and writes the block with its head and tail. Errors show when the caller
 * closes the file. */
static void write_block(struct pcap *p, uint32_t type, uint32_t size)
{
    uint32_t padded = (size + 3) / 4 * 4, total = padded + 12;

    memset(p->block + 8 + size, 0, 4);
    put32(p->block, type);
    put32(p->block + 4, total);
    put32(p->block + 8 + padded, total);
    fwrite(p->block, 1, total, p->out);
    p->bytes += total;
}

static void write_section(struct pcap *p)
{
    static const unsigned char body[] = { 0x4d, 0x3c, 0x2b, 0x1a, 1, 0, 0, 0,
                                          0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };

    memcpy(p->block + 8, body, sizeof body);
    write_block(p, 0x0a0d0d0a, sizeof body);
}

static uint32_t put_option(unsigned char *at, uint32_t code, const void *value, uint32_t size)
{
    memset(at, 0, 4 + (size + 3) / 4 * 4);
    at[0] = (unsigned char)code;
    at[2] = (unsigned char)size;
    memcpy(at + 4, value, size);
    return 4 + (size + 3) / 4 * 4;
}

static void write_interface(struct pcap *p, const struct sim_port *port)
{
    unsigned char *body = p->block + 8, speed[8];
    char           name[40];
    uint32_t       size = 8;
    int            length = snprintf(name, sizeof name, "%.15s:%u",
                                     sim_graph(p->sim)->node[port->node].name, port->index);

    memset(body, 0, 8);
    body[0] = 1;
    put32(speed, (uint32_t)port->rate_bps);
    put32(speed + 4, (uint32_t)(port->rate_bps >> 32));
    size += put_option(body + size, 2, name, (uint32_t)length);
    size += put_option(body + size, 8, speed, 8);
    size += put_option(body + size, 9, "\x0c", 1);
    size += put_option(body + size, 0, "", 0);
    write_block(p, 1, size);
}

/* ---- queue pairs ---- */

static void add_message(struct seen_pair *q, uint64_t begin, uint64_t psn)
{
    q->message = xgrow(q->message, q->messages, &q->messages_max, 4, sizeof *q->message);
    q->message[q->messages++] = (struct seen_message){ begin, psn };
}

/* Returns the queue pair of a packet. An index of a flow that is over may be in use by a new one: that is
 * another queue pair. NULL: an answer to a flow that is over. */
static struct seen_pair *pair_of_packet(struct pcap *p, const struct packet *k)
{
    if (k->flow >= p->pairs) {
        uint32_t was = p->pairs;

        p->pairs = k->flow + k->flow / 2 + 1024;
        p->pair = xrealloc(p->pair, p->pairs * sizeof *p->pair);
        memset(p->pair + was, 0, (p->pairs - was) * sizeof *p->pair);
    }
    struct seen_pair *q = &p->pair[k->flow];
    if (q->number && q->generation != k->generation && (int16_t)(k->generation - q->generation) < 0)
        return NULL;
    if (!q->number || q->generation != k->generation) {
        q->number = p->next_number++ & (QP_SENDER - 1);
        q->generation = k->generation;
        q->messages = 0;
        add_message(q, 0, 0);
    }
    return q;
}

/* Returns the index of the last message that begins at 'seq' or before. It is also the number of messages
 * that end there or before. */
static uint32_t message_at(const struct seen_pair *q, uint64_t seq)
{
    uint32_t low = 0, high = q->messages;

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;

        *(q->message[middle].begin <= seq ? &low : &high) = middle;
    }
    return low;
}

/* A byte's PSN. Bytes are numbered without gaps, but the last packet of a message may be short, so PSNs are
 * not bytes by MTU. */
static uint64_t psn_of(const struct pcap *p, const struct seen_pair *q, uint64_t seq)
{
    const struct seen_message *m = &q->message[message_at(q, seq)];

    return m->psn + (seq - m->begin) / sim_settings(p->sim)->mtu_bytes;
}

/* Returns the opcode of a data packet: which part of its message it is. */
static enum opcode part_of(const struct pcap *p, struct seen_pair *q, const struct packet *k, uint64_t seq)
{
    uint64_t psn = psn_of(p, q, seq);
    bool     is_first = psn == q->message[message_at(q, seq)].psn, is_last = k->flags & PACKET_LAST;

    if (is_last && seq + k->payload > q->message[q->messages - 1].begin)
        add_message(q, seq + k->payload, psn + 1);
    return is_first ? (is_last ? SEND_ONLY : SEND_FIRST) : is_last ? SEND_LAST : SEND_MIDDLE;
}

/* ---- frames ---- */

/* Bytes that pad the payload to a multiple of four. The simulator does not send them. */
static uint32_t pad_of(const struct packet *k)
{
    return packet_class(k) == CLASS_DATA ? (4 - k->payload % 4u) % 4 : 0;
}

/* Writes the low 'bytes' bytes of a number, high byte first. It stores eight bytes: write fields in order. */
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

/* The IPv4 checksum; fields that are not arguments are constant. */
static inline uint32_t checksum(uint32_t first, uint32_t length, uint32_t src, uint32_t dst)
{
    uint32_t sum = first + length + 0x4000 + 0x4011 + (src >> 16) + (src & 0xffff) + (dst >> 16) +
                   (dst & 0xffff);

    sum = (sum & 0xffff) + (sum >> 16);
    return ~(sum + (sum >> 16)) & 0xffff;
}

static inline unsigned char *put_ip(unsigned char *at, const struct packet *k, uint32_t length)
{
    uint32_t ecn = k->flags & PACKET_NOT_ECT || k->kind == CNP ? 0 : 2, first;
    uint32_t src = address_of_node(k->src), dst = address_of_node(k->dst);

    if (packet_class(k) == CLASS_DATA && k->flags & PACKET_ECN)
        ecn = 3;
    first = 0x4500 | (uint32_t)k->prio << 5 | ecn;
    at = be(at, (uint64_t)first << 48 | (uint64_t)(length - 14) << 32 | 0x00004000, 8);
    at = be(at, 0x4011ull << 16 | checksum(first, length - 14, src, dst), 4);
    at = be(at, (uint64_t)src << 32 | dst, 8);
    return be(at, (uint64_t)(k->ports & 0xffff) << 48 | (uint64_t)UDP_PORT << 32 |
              (uint64_t)(length - 34) << 16, 8);
}

static inline unsigned char *put_bth(unsigned char *at, enum opcode opcode, uint32_t pad, uint32_t qp,
                                     bool asks, uint64_t psn)
{
    uint64_t becn = opcode == NOTIFY ? 0x40 : 0;

    at = be(at, (uint64_t)opcode << 24 | (0x40 | pad << 4) << 16 | 0xffff, 4);
    return be(at, becn << 56 | (uint64_t)(qp & 0xffffff) << 32 | (asks ? 0x80000000u : 0) |
              (psn & 0xffffff), 8);
}

static unsigned char *put_pause(unsigned char *at, uint32_t node, const struct packet *k)
{
    at = put_ethernet(at, 0x0180c2000001ull, node, 0x8808);
    at = be(at, 0x01010000u | 1u << k->prio, 4);
    for (uint32_t c = 0; c < PRIOS; c++)
        at = be(at, c == k->prio && k->seq ? 0xffff : 0, 2);
    return at;
}

static unsigned char *put_data(const struct pcap *p, unsigned char *at, struct seen_pair *q,
                               const struct packet *k)
{
    uint64_t    seq = k->seq & SEQ_BITS, psn = psn_of(p, q, seq);
    enum opcode part = part_of(p, q, k, seq);

    return put_bth(at, part, pad_of(k), q->number, k->flags & PACKET_LAST || k->seq & SEQ_ASKS, psn);
}

/* A datagram's sequence number is a time, and its receiver ignores PSNs. */
static unsigned char *put_datagram(unsigned char *at, const struct seen_pair *q, const struct packet *k)
{
    at = put_bth(at, DATAGRAM, pad_of(k), q->number, false, 0);
    return be(at, q->number | QP_SENDER, DETH);
}

/* The code of the shortest time that an RNR NAK can name and that is no shorter (InfiniBand, volume 1). */
static uint32_t rnr_code(uint64_t ps)
{
    static const uint32_t ten_us[] = { 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512,
                                       768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576,
                                       32768, 49152 };

    for (uint32_t i = 0; i < sizeof ten_us / sizeof *ten_us; i++)
        if (ps <= ten_us[i] * (10 * PS_PER_US))
            return i + 1;
    return 0;                    /* 655.36 ms */
}

static uint32_t syndrome_of(const struct pcap *p, const struct packet *k)
{
    switch (k->kind) {
    case RC_ACK: return 0x1f;
    case RC_RNR: return 0x20 | rnr_code(sim_settings(p->sim)->rnr_ps);
    default:     return 0x60;
    }
}

/* An ACK has the PSN of the last packet before 'seq', a NAK that of the packet expected. Both have the number
 * of complete messages (MSN). */
static unsigned char *put_ack(const struct pcap *p, unsigned char *at, const struct seen_pair *q,
                              const struct packet *k)
{
    bool     is_nak = packet_class(k) == CLASS_NACK;
    uint64_t seq = k->seq & SEQ_BITS;

    at = put_bth(at, ACKNOWLEDGE, 0, q->number | QP_SENDER, false,
                 psn_of(p, q, is_nak || !seq ? seq : seq - 1));
    return be(at, syndrome_of(p, k) << 24 | (message_at(q, seq) & 0xffffff), 4);
}

static unsigned char *put_cnp(unsigned char *at, const struct seen_pair *q)
{
    at = put_bth(at, NOTIFY, 0, q->number | QP_SENDER, false, 0);
    at[-11] = 0;
    memset(at, 0, 16);
    return at + 16;
}

/* Returns true for frames that a real NIC sends for its queue pairs. */
static bool is_roce(const struct packet *k)
{
    return packet_is_roce_data(k) || k->kind == RC_ACK || k->kind == RC_NACK || k->kind == RC_RNR ||
           k->kind == RC_HOLE || k->kind == CNP;
}

/* Returns where the headers end; NULL: such frames are left out. */
static unsigned char *put_frame(struct pcap *p, unsigned char *at, uint32_t port, const struct packet *k,
                                uint32_t length)
{
    if (k->kind == PFC)
        return put_pause(at, sim_port(p->sim, port).node, k);
    struct seen_pair *q = is_roce(k) ? pair_of_packet(p, k) : NULL;
    if (!q)
        return NULL;
    at = put_ethernet(at, 0x020000000000ull | k->dst, k->src, 0x0800);
    at = put_ip(at, k, length);
    switch (k->kind) {
    case RC_DATA: return put_data(p, at, q, k);
    case UD_DATA: return put_datagram(at, q, k);
    case CNP:     return put_cnp(at, q);
    default:      return put_ack(p, at, q, k);
    }
}

/* Appends the payload and the ICRC. Returns the length of the frame. */
static uint32_t end_frame(struct pcap *p, unsigned char *frame, uint32_t headers, uint32_t length)
{
    if (length > FRAME_MAX || length < headers + ICRC)
        return headers;
    memset(frame + headers, 0, length - headers - ICRC);
    put32(frame + length - ICRC,
          icrc_of(&p->icrc, frame + ETHERNET, headers - ETHERNET, length - headers - ICRC));
    return length;
}

static void on_frame(void *arg, uint64_t now_ps, uint32_t port, const struct packet *k)
{
    struct pcap   *p = arg;
    uint32_t       length = (k->bytes > FCS ? k->bytes - FCS : k->bytes) + pad_of(k) +
                            (k->kind == UD_DATA ? DETH : 0);
    unsigned char *body = p->block + 8, *end = NULL;

    /* when it is full, no later frame is written: PSNs need every packet before */
    p->is_full |= p->bytes + BLOCK_MAX + (p->has_payload && length <= FRAME_MAX ? length : 0) > p->bytes_max;
    if (!p->is_full)
        end = put_frame(p, body + 20, port, k, length);
    if (!end) {
        p->left_out++;
        return;
    }
    uint32_t size = (uint32_t)(end - body) - 20;
    if (p->has_payload && k->kind != PFC)
        size = end_frame(p, body + 20, size, length);
    size = size < length ? size : length;
    put32(body, p->interface[port] - 1);
    put32(body + 4, (uint32_t)(now_ps >> 32));
    put32(body + 8, (uint32_t)now_ps);
    put32(body + 12, size);
    put32(body + 16, length);
    write_block(p, 6, 20 + size);
}

/* ---- opening and closing ---- */

static void tap(struct pcap *p, const struct sim_port *port, uint32_t *interfaces)
{
    sim_tap_port(p->sim, port->id);
    p->interface[port->id] = ++*interfaces;
    write_interface(p, port);
}

struct pcap *pcap_open(FILE *out, struct sim *s, uint64_t bytes_max, bool has_payload)
{
    struct pcap *p = xcalloc(1, sizeof *p);
    uint32_t     interfaces = 0;

    *p = (struct pcap){ .out = out, .sim = s, .bytes_max = bytes_max, .has_payload = has_payload,
                        .interface = xcalloc(sim_ports(s) + 1ul, sizeof *p->interface),
                        .next_number = QP_FIRST };
    icrc_init(&p->icrc, sim_settings(s)->mtu_bytes);
    write_section(p);
    for (uint32_t i = 0; i < sim_ports(s); i++) {
        struct sim_port port = sim_port(s, i), peer = sim_port(s, port.peer);

        if (!port.is_switch) {
            tap(p, &port, &interfaces);
            tap(p, &peer, &interfaces);
        }
    }
    sim_tap(s, on_frame, p);
    return p;
}

uint64_t pcap_close(struct pcap *p)
{
    uint64_t left_out = p->left_out;

    sim_tap(p->sim, NULL, NULL);
    free(p->interface);
    for (uint32_t i = 0; i < p->pairs; i++)
        free(p->pair[i].message);
    free(p->pair);
    free(p);
    return left_out;
}
