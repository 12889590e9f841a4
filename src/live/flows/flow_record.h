/* src/live/flows/flow_record.h - a switch's record of a flow: its bytes since the last record, or those that
 * a sampled packet represents. */
#ifndef LIVE_FLOWS_FLOW_RECORD_H
#define LIVE_FLOWS_FLOW_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECORD_ROCE_PORT 4791u
#define RECORD_QP_NONE   UINT32_MAX

struct flow_record {
    uint8_t  source[16], target[16];     /* IPv4: the first four, the others 0 */
    bool     is_v6;
    uint8_t  protocol;                   /* 17: UDP */
    uint16_t source_port, target_port;
    uint32_t qp;                         /* the target's queue pair; RECORD_QP_NONE: not known */
    uint64_t bytes, packets;             /* from the IP header on; scaled by the sampling rate */
    bool     is_total;                   /* bytes since the start of the flow, not since the last record */
    bool     is_ended;                   /* the switch says that it has ended */
};

typedef void record_hook(void *, const struct flow_record *);

/* Numbers with the most significant byte first, of any length up to 8. */
uint64_t record_number(const uint8_t *, size_t length);

#endif
