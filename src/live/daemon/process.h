/* src/live/daemon/process.h - what agents, relays and controllers have in common as processes. */
#ifndef LIVE_DAEMON_PROCESS_H
#define LIVE_DAEMON_PROCESS_H

#include "live/daemon/config/live_config.h"
#include "live/relay/relay.h"
#include "live/wire/codec.h"
#include "live/wire/dial.h"
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

/* ---- a configuration that is read again while the process runs (SIGHUP): taken whole, or not at all ----
 *
 * What a process is built on cannot change: addresses, names, folders, devices, intervals. A file that
 * changes such a key, or is wrong, is refused with one line, and everything stays as it was.
 */

/* Can the files that it names be used by this process: certificates, keys, the page's token and address?
 * 'old': the configuration that it replaces; NULL: a process with this one may be running. */
int process_check(const struct config_common *, const struct config_common *old, struct err *);

/* Calls 'reload', which reads a configuration again, and reports it to systemd. */
void reload_on_signal(void (*reload)(void *), void *arg);

/* Reads the file of 'old' again. NULL: it was refused, and that was logged. Freed with reload_free(). */
void *reload_file(const struct config_kind *, const void *old);
void  reload_free(const struct config_kind *, void *file);       /* NULL: no effect */

/* ---- the way to a controller: one of several addresses ----
 *
 * A lost connection is dialled again after a random time that doubles, so that many do not return at once.
 */

struct uplink_to {
    char *const          *address;
    uint32_t              count, relays;         /* the first are relays */
    uint64_t              silence_us;            /* an address that is silent for so long is left */
    const struct rpc_tls *tls;
};

struct uplink {
    const char  *who;            /* first words of log lines */
    struct dial *dial;
    struct path  path;           /* which of the addresses it takes */
    uint32_t     link, dialled;  /* dialled: the address of 'dial' */
    bool         is_up;
    uint64_t     redial_us, pause_us;            /* redial_us of 0: not planned */
};

/* Dials the first; checks all of them. Ends with dial_free(). */
int  uplink_open(struct uplink *, const char *who, const struct uplink_to *, struct err *);
void uplink_on_event(struct uplink *, const struct rpc_event *);
void uplink_on_time(struct uplink *, const struct uplink_to *, uint64_t now_us); /* when it is time: dials */
uint64_t uplink_timer_us(const struct uplink *);         /* NEVER: none */

/* ---- agents as clients ---- */

/* Logs a line about a sender, up to a limit for each. */
void process_complain(struct serve *, const struct rpc_event *, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Reads a message; an agent speaks for the devices of its own host. False: it counts as unreadable, and that
 * was logged, unless its sender has too many devices. 'learn' as for codec_read_all(). */
bool process_hear(struct serve *, const struct rpc_event *, struct msg *, struct msg_learn *learn);

void process_log_budgets(struct serve *);        /* who takes too much, once for each */

#endif
