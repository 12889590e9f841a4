/* src/live/flows/frame.h - the beginning of a packet as a switch has sampled it: whose is it? */
#ifndef LIVE_FLOWS_FRAME_H
#define LIVE_FLOWS_FRAME_H

#include "live/flows/flow_record.h"

/* Ethernet with VLAN tags, or IP at once. Fills who, and in bytes how long the IP packet was; of RoCEv2 also
 * the queue pair. False: it is not IP, or too short to tell. */
bool frame_read(struct flow_record *, const uint8_t *bytes, size_t length);
bool frame_read_ip(struct flow_record *, const uint8_t *bytes, size_t length);

#endif
