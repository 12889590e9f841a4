/* src/study/report/trace/icrc.h - the invariant CRC at the end of a RoCEv2 frame (InfiniBand's annex 17).
 *
 * It is Ethernet's CRC-32 of eight bytes of ones, the IPv4 header, UDP, BTH and the rest of the frame. Fields
 * that routers change count as ones: type of service, time to live, both checksums, fifth byte of the BTH.
 */
#ifndef STUDY_REPORT_TRACE_ICRC_H
#define STUDY_REPORT_TRACE_ICRC_H

#include <stdint.h>

struct icrc {
    uint32_t table[256];
    uint32_t zeros, skip[4][256];            /* a CRC after 'zeros' zero bytes, by its bytes */
};

/* Prepares for runs of 'zeros' zero bytes, which then cost as much as four bytes. */
void icrc_init(struct icrc *, uint32_t zeros);

/* Returns the CRC of a frame from its IPv4 header on: 'bytes' bytes, which include the BTH, then 'zeros' zero
 * bytes. The lowest byte of the CRC comes first in the frame. */
uint32_t icrc_of(const struct icrc *, const unsigned char *ip, uint32_t bytes, uint32_t zeros);

#endif
