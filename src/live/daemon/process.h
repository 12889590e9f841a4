/* src/live/daemon/process.h - what agents, relays and controllers have in common as processes. */
#ifndef LIVE_DAEMON_PROCESS_H
#define LIVE_DAEMON_PROCESS_H

#include "live/wire/codec.h"
#include "live/wire/serve.h"

#include <poll.h>

/* ---- the loop ---- */

static inline struct pollfd process_readable(int fd)
{
    return (struct pollfd){ .fd = fd, .events = POLLIN };
}

/* Waits like clock_wait(). 'signals': of clock_signals(). Also feeds systemd's watchdog. */
enum process_order { PROCESS_GO_ON, PROCESS_RELOAD, PROCESS_END };
enum process_order process_wait(struct pollfd *, uint32_t count, uint64_t until_us, int signals);

/* ---- dialling again, after a random time that doubles, so that many do not return at once ---- */

struct redial { uint64_t at_us, pause_us; };     /* at_us of 0: not planned */

void redial_reset(struct redial *);              /* the other end speaks, and does not only take calls */
bool redial_is_reset(const struct redial *);
void redial_plan(struct redial *, uint64_t now_us);

/* ---- agents as clients ---- */

/* Logs a line about a sender, up to a limit for each. */
void process_complain(struct serve *, const struct rpc_event *, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Reads a message; an agent speaks for the devices of its own host. False: it counts as unreadable, and that
 * was logged, unless its sender has too many devices. 'learn' as for codec_read_all(). */
bool process_hear(struct serve *, const struct rpc_event *, struct msg *, struct msg_learn *learn);

void process_log_budgets(struct serve *);        /* who takes too much, once for each */

#endif
