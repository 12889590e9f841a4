/* src/sim/host/reply.h - answers to packets: ACKs, NACKs, CNPs. */
#ifndef SIM_HOST_REPLY_H
#define SIM_HOST_REPLY_H

#include "sim/host/nic.h"

struct answer {
    enum packet_kind kind;
    uint64_t         seq;        /* see enum packet_kind */
    uint32_t         prio, bytes;
    uint8_t          flags;
};

/* Sends an answer to packet 'k', immediately if nothing has precedence. */
void reply_to(struct sim *, const struct host *, const struct packet *k, const struct answer *);

/* Same, but reuses packet 'id' as the answer. */
void reply_with(struct sim *, const struct host *, uint32_t id, struct packet *k, const struct answer *);

/* Queues a packet among the answers, or sends it immediately if nothing has precedence. */
void reply_send(struct sim *, const struct host *, uint32_t id, struct packet *);

/* Sends a CNP to the flow of packet 'k'. told_ps: the time it carries, see PACKET_CNP. */
void reply_cnp(struct sim *, const struct host *, const struct packet *k, uint64_t told_ps);

#endif
