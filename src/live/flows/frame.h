/* src/live/flows/frame.h - the beginning of a packet as a switch has sampled it: whose is it? */
#ifndef LIVE_FLOWS_FRAME_H
#define LIVE_FLOWS_FRAME_H

#include "live/flows/flow_record.h"

/* Parses Ethernet with VLAN tags, or IP. Fills the flow's key and the length of the IP packet; for RoCEv2
 * also the queue pair. Returns false if it is not IP, or too short. */
bool frame_read(struct flow_record *, const uint8_t *bytes, size_t length);
bool frame_read_ip(struct flow_record *, const uint8_t *bytes, size_t length);

#endif
