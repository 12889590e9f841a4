#include "live/flows/frame.h"

#include <string.h>

#define TYPE_IPV4   0x0800
#define TYPE_IPV6   0x86dd
#define TYPE_VLAN   0x8100
#define TYPE_QINQ   0x88a8
#define UDP         17
#define TCP         6
#define VLANS_MAX   4

/* The ports, and the queue pair of RoCEv2: eight bytes of UDP, then BTH. */
static void read_ports(struct flow_record *r, const uint8_t *b, size_t length)
{
    r->qp = RECORD_QP_NONE;
    if (length < 4 || (r->protocol != UDP && r->protocol != TCP))
        return;
    r->source_port = (uint16_t)record_number(b, 2);
    r->target_port = (uint16_t)record_number(b + 2, 2);
    if (r->protocol == UDP && r->target_port == RECORD_ROCE_PORT && length >= 16)
        r->qp = (uint32_t)record_number(b + 13, 3);
}

static bool read_v4(struct flow_record *r, const uint8_t *b, size_t length)
{
    size_t head = (size_t)(b[0] & 15) * 4;
    bool   is_later = length >= 8 && (record_number(b + 6, 2) & 0x1fff);       /* of a fragment: no ports */

    if (length < 20 || head < 20)
        return false;
    r->protocol = b[9];
    r->bytes = record_number(b + 2, 2);
    memcpy(r->source, b + 12, 4);
    memcpy(r->target, b + 16, 4);
    read_ports(r, b + head, length > head && !is_later ? length - head : 0);
    return r->bytes >= head;
}

static bool read_v6(struct flow_record *r, const uint8_t *b, size_t length)
{
    if (length < 40)
        return false;
    r->is_v6 = true;
    r->protocol = b[6];
    r->bytes = record_number(b + 4, 2) + 40;
    memcpy(r->source, b + 8, 16);
    memcpy(r->target, b + 24, 16);
    read_ports(r, b + 40, length - 40);
    return true;
}

bool frame_read_ip(struct flow_record *r, const uint8_t *b, size_t length)
{
    *r = (struct flow_record){ .qp = RECORD_QP_NONE, .packets = 1 };
    return length &&
           (b[0] >> 4 == 4 ? read_v4(r, b, length) : b[0] >> 4 == 6 ? read_v6(r, b, length) : false);
}

bool frame_read(struct flow_record *r, const uint8_t *b, size_t length)
{
    size_t   at = 12;
    uint64_t type = 0;

    for (int i = 0; i <= VLANS_MAX; i++, at += 4) {
        if (at + 2 > length)
            return false;
        type = record_number(b + at, 2);
        if (type != TYPE_VLAN && type != TYPE_QINQ)
            break;
    }
    return (type == TYPE_IPV4 || type == TYPE_IPV6) && frame_read_ip(r, b + at + 2, length - at - 2);
}
