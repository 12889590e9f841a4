/* src/work/traffic/reads.h - RDMA READ, for jobs.
 *
 * The requester sends a request of one packet. The responder's NIC answers with the data when the request
 * has arrived; its program does not take part. The read ends when the data has arrived. Requests and data
 * of two hosts use a queue pair of their own in each direction, so a host's reads are answered in order. At
 * most 'limit' reads of a queue pair are in progress; the others wait at the requester.
 *
 * A kind calls job_allow_reads() when it is built and job_read() when a worker reads. Both hosts are workers
 * of the job. The kind's on_arrival() gets the data, as a message with VERB_READ; it does not see the
 * request. Results are those of the requester: a flow from the responder that starts when the read is posted
 * and ends when its data has arrived.
 */
#ifndef WORK_TRAFFIC_READS_H
#define WORK_TRAFFIC_READS_H

#include "work/traffic/job.h"

struct reads_cfg {
    uint32_t limit;              /* reads in progress on a queue pair */
    uint64_t delay_ps;           /* from a request to the first byte out of the responder's memory */
};

/* Keys for kinds that read, in a struct with this member of type struct reads_cfg. */
#define READS_KEYS(of, member) \
    { "read_limit", KEY_COUNT, "16", "RDMA READs at once on a queue pair (max_rd_atomic)", \
      KEY_AT(of, member.limit), 1, 65535 }, \
    { "read_delay", KEY_TIME, "0",  "of the responder's memory, for each RDMA READ", \
      KEY_AT(of, member.delay_ps) }

/* Workers of the job may read. */
void job_allow_reads(struct job *, const struct reads_cfg *);

/* A worker posts a read of 'bytes' from node 'dst' at at_ps, which is not before that of its previous
 * reads. */
void job_read(struct job *, uint32_t worker, uint64_t at_ps, uint32_t dst, uint64_t bytes, uint64_t tag);

/* ---- for work/traffic/ ---- */

void reads_free(struct job *);

/* A request has arrived at the responder, or data at the requester. */
void reads_answer(struct job *, uint64_t now_ps, const struct message *request);
void reads_end(struct job *, uint64_t now_ps, const struct message *data);

#endif
