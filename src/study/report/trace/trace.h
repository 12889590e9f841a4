/* src/study/report/trace/trace.h - recordings of a run: time lines, frames and samples. */
#ifndef STUDY_REPORT_TRACE_TRACE_H
#define STUDY_REPORT_TRACE_TRACE_H

#include "study/run/simulation.h"

#include <stdio.h>

/* ---- trace_chrome.c ---- */

/* Flows, pauses, queues and work over time, as JSON of trace events for Perfetto and chrome://tracing.
 *
 * Process "flows" has a span for each flow, in the row of its host, with size, destination and slowdown.
 * "pauses" has a span for each pause of a port. "queues" has a counter for each switch port at which packets
 * waited at a sample. "work" has iterations, I/O operations and calls, in the row of their traffic. A flow is
 * written when it ends, so events are not in the order of time, which readers accept. */
struct chrome;

struct chrome *chrome_open(FILE *, const struct sim *, uint64_t bytes_max);

void chrome_on_flow(struct chrome *, const struct flow_result *);
void chrome_on_pfc(struct chrome *, const struct pfc_result *);
void chrome_on_op(struct chrome *, const struct op_result *);

/* A span of process "work" in a row of its own: "step 12", with a note. */
void chrome_on_step(struct chrome *, uint32_t step, uint64_t start_ps, uint64_t end_ps, const char *note);

/* The current queues. */
void chrome_on_sample(struct chrome *, uint64_t now_ps);

/* Ends the file. Returns the number of events that did not fit. */
uint64_t chrome_close(struct chrome *);

/* ---- trace_pcap.c ---- */

/* A pcapng file of the frames on host links, for Wireshark.
 *
 * An interface is one end of a host's link: it shows the frames that leave the host, or the switch towards
 * the host. Times are picoseconds. Data are SENDs of a reliable connection (RoCEv2: Ethernet, IPv4, UDP 4791,
 * BTH), which ACKs and NAKs answer (AETH); so are the requests and the data of RDMA READs. CNPs have opcode
 * 0x81; PFC frames are MAC control. The PSNs of a queue pair begin at 0. Its receiver's end has a number from
 * 16 on, its sender's end the same number and bit 23. Datagrams (UD) have PSN 0.
 *
 * Payload is zeroes, because Wireshark calls data without payload malformed. It may be left out. Lengths are
 * the true ones in any case, plus up to three bytes that pad a payload, and the DETH of datagrams. The ECN
 * field is that of the frame as it leaves. The class is the upper three bits of the DSCP. Frames of TCP,
 * probes and ConWeave are left out and counted. */
struct pcap;

/* Taps the simulation, which must have one partition, until it is closed. */
struct pcap *pcap_open(FILE *, struct sim *, uint64_t bytes_max, bool has_payload);

/* Returns the number of frames that were left out. */
uint64_t pcap_close(struct pcap *);

/* ---- trace_samples.c ---- */

/* Queues and rates over time: a table with a row for each value that has changed since the previous sample.
 *
 *     time_us,what,where,value
 *     20,queue,s0:3,41472          bytes that wait at a switch port, all classes; 0 when it is empty again
 *     20,rate,h1>h2:49153,87.5     Gb/s that congestion control allows; source, destination, source port
 *     20,goodput,h1>h2:49153,80.2  Gb/s acknowledged since the previous sample; 0: nothing, or the flow ended
 *
 * Values without a row have not changed. Samples do not change results. */
struct samples;

/* The simulation must have one partition. */
struct samples *samples_open(FILE *, const struct simulation *, uint64_t bytes_max);

void samples_look(struct samples *, uint64_t now_ps);

/* Returns the number of rows that did not fit. */
uint64_t samples_close(struct samples *);

#endif
