/* src/report/trace/pcap.h - frames as Wireshark shows them: a pcapng file with what hosts send and receive.
 *
 * An interface is a host's link, seen from its switch port and from the host: what leaves either end. Times are picoseconds. Data are SENDs of
 * a reliable connection (RoCEv2: Ethernet, IPv4, UDP 4791, BTH), acknowledged by ACKs and NAKs (AETH); CNPs have opcode 0x81; PFC frames are MAC
 * control. Payload is zeroes: Wireshark takes data without it for malformed. Or frames are cut behind their headers; their lengths are the true ones in any case. The ECN field is as the frame leaves; the class is
 * the upper three bits of the DSCP. TCP, probes and ConWeave's frames are left out, and counted.
 */
#ifndef REPORT_TRACE_PCAP_H
#define REPORT_TRACE_PCAP_H

#include "sim/sim.h"

#include <stdio.h>

struct pcap;

/* Taps the simulation, which must be of one part, until it is closed. */
struct pcap *pcap_open(FILE *, struct sim *, uint64_t bytes_max, bool has_payload);

/* Returns how many frames are not in the file. */
uint64_t pcap_close(struct pcap *);

#endif
