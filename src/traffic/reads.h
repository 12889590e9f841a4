/* src/traffic/reads.h - RDMA READ, for jobs.
 *
 * The requester sends a request of one packet. The responder's NIC answers with the data when the request has
 * arrived; its program does not take part. The read is over when the data has arrived. Requests and data of
 * two hosts use a queue pair of their own in each direction, so a host's reads are answered in order. At most
 * 'limit' reads of a queue pair are under way; the others wait at the requester.
 *
 * A kind that reads routes messages with READ_BITS here: those with READ_ASKS to reads_answer(), at the
 * responder, those with READ_DATA to reads_end(), at the requester. It ignores when they were sent.
 */
#ifndef TRAFFIC_READS_H
#define TRAFFIC_READS_H

#include "traffic/job.h"

#define READ_ASKS  (1ull << 62)  /* tag: a request; the other bits are the kind's, */
#define READ_DATA  (1ull << 61)  /* of which the data has the same */
#define READ_BITS  (READ_ASKS | READ_DATA)
#define READ_REQUEST_BYTES 16u   /* payload of a request: the extended header of a READ */

struct reads_cfg {
    uint32_t limit;              /* reads under way on a queue pair; 0: none may be */
    uint64_t delay_ps;           /* from a request to the first byte out of the responder's memory */
};

/* Keys for kinds that read, in a struct whose member 'reads' is a struct reads_cfg. */
#define READS_KEYS(of) \
    { "read_limit", KEY_COUNT, "16", "RDMA READs under way at once on a queue pair (max_rd_atomic)", \
      KEY_AT(of, reads.limit), 1, 65535 }, \
    { "read_delay", KEY_TIME, "0",  "until data of an RDMA READ comes out of the responder's memory", \
      KEY_AT(of, reads.delay_ps) }

struct reads;

/* For all workers of a job. */
struct reads *reads_new(struct job *, const struct reads_cfg *);
void          reads_free(struct reads *);

/* A worker reads from node 'dst'; or later, if too many are under way. */
void reads_begin(struct reads *, uint32_t worker, uint64_t now_ps, uint32_t dst, uint64_t tag);

/* A request for 'bytes' has arrived: the responder sends them. */
void reads_answer(struct reads *, uint64_t now_ps, const struct message *request, uint64_t bytes);

/* The data of a read has arrived: the next may begin. Returns when the read was posted. */
uint64_t reads_end(struct reads *, uint64_t now_ps, const struct message *data);

#endif
