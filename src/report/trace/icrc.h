/* src/report/trace/icrc.h - the invariant CRC at the end of a RoCEv2 frame (InfiniBand's annex 17).
 *
 * It is Ethernet's CRC-32 of eight bytes of ones, the IPv4 header, UDP, BTH and all behind it, where what
 * routers change counts as ones: type of service, time to live, both checksums, and the fifth byte of the
 * BTH.
 */
#ifndef REPORT_TRACE_ICRC_H
#define REPORT_TRACE_ICRC_H

#include <stdint.h>

struct icrc {
    uint32_t table[256];
    uint32_t zeros, skip[4][256];            /* what 'zeros' bytes of 0 make of a CRC, by its bytes */
};

/* Rows of so many zeroes cost as much as four bytes; others as much as they are. */
void icrc_init(struct icrc *, uint32_t zeros);

/* Of a frame from its IPv4 header on: so many bytes, BTH in them, and so many zeroes behind them. The
 * first byte of the frame's last four is the lowest. */
uint32_t icrc_of(const struct icrc *, const unsigned char *ip, uint32_t bytes, uint32_t zeros);

#endif
