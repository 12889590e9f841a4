/* src/report/trace/pcap.h - a pcapng file of the frames on host links, for Wireshark.
 *
 * An interface is one end of a host's link: it shows the frames that leave the host, or the switch towards
 * the host. Times are picoseconds. Data are SENDs of a reliable connection (RoCEv2: Ethernet, IPv4, UDP 4791,
 * BTH), which ACKs and NAKs answer (AETH); so are the requests and the data of RDMA READs. CNPs have opcode
 * 0x81; PFC frames are MAC control. The PSNs of a queue pair begin at 0. Its receiver's end has a number from
 * 16 on, its sender's end the same number and bit 23. Datagrams (UD) have PSN 0.
 *
 * Payload is zeroes: Wireshark calls data without payload malformed. It may be left out; lengths are the true
 * ones in any case, plus the up to three bytes that pad a payload, and the DETH of datagrams. The ECN field
 * is that of the frame as it leaves; the class is the upper three bits of the DSCP. Frames of TCP, probes and
 * ConWeave are left out, and counted.
 */
#ifndef REPORT_TRACE_PCAP_H
#define REPORT_TRACE_PCAP_H

#include "sim/sim.h"

#include <stdio.h>

struct pcap;

/* Taps the simulation, which must have one partition, until it is closed. */
struct pcap *pcap_open(FILE *, struct sim *, uint64_t bytes_max, bool has_payload);

/* Returns the number of frames that were left out. */
uint64_t pcap_close(struct pcap *);

#endif
