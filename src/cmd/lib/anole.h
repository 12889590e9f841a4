/* anole.h - libanole: Anole's network simulator as a C library.
 *
 * A world is one simulated network. A program posts messages between hosts, advances time, and receives
 * callbacks when messages arrive and when their senders have the acknowledgement. Times are picoseconds from
 * the start of the world, sizes are bytes, and hosts are numbered from 0.
 *
 *     struct anole_world *w = anole_open("topology: {kind: star, hosts: 2}", error, sizeof error);
 *     anole_on_message(w, on_message, NULL);
 *     anole_post(w, 0, 1, 1000000, 7);
 *     anole_run(w, 1000000000);              // to 1 ms
 *     anole_close(w);
 *
 * Worlds are independent. Each may be used by one thread at a time. Callbacks run in the thread that calls
 * anole_run(), during that call. A callback may post more messages; they start at the time of the callback.
 */
#ifndef ANOLE_H
#define ANOLE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ANOLE_ABI 1              /* increases when programs must be recompiled */

struct anole_world;

enum anole_event {
    ANOLE_ARRIVED,               /* the last byte has arrived at the destination */
    ANOLE_SENT,                  /* the source has the acknowledgement of the whole message; a datagram has
                                  * left; not for READs, which end when they have arrived */
    ANOLE_WOKEN                  /* the time given to anole_wake() has come; only the tag is valid */
};

/* The operation of a message. Writes and SENDs are reliable; a SEND waits for a receive if the scenario
 * limits `receives`. A datagram (UD) is one packet, which may be lost. A READ transfers bytes from the
 * destination's memory to the source. */
enum anole_verb { ANOLE_WRITE, ANOLE_SEND, ANOLE_UD, ANOLE_READ };

struct anole_message {
    uint32_t src, dst;           /* of the bytes: a READ's bytes go to the host that posted it */
    uint64_t bytes, tag;         /* as posted */
    uint64_t posted_ps;
};

typedef void anole_message_hook(void *arg, enum anole_event, uint64_t now_ps, const struct anole_message *);

/* Returns the ANOLE_ABI of the loaded library. */
int anole_abi(void);

/* Creates a world from the text of a scenario (docs/scenario.md). The scenario's own traffic, if any, runs
 * alongside posted messages. Returns NULL on failure and stores the reason in 'error'. */
struct anole_world *anole_open(const char *scenario, char *error, size_t error_bytes);
void anole_close(struct anole_world *);

uint32_t anole_hosts(const struct anole_world *);

/* Sets the callback for posted messages. */
void anole_on_message(struct anole_world *, anole_message_hook *, void *arg);

/* Posts a message now, on a persistent queue pair from src to dst. Returns 0, or -1 if a host does not exist,
 * both are the same, or bytes is 0 or too large. */
int anole_post(struct anole_world *, uint32_t src, uint32_t dst, uint64_t bytes, uint64_t tag);

/* Like anole_post(), with a verb. Also returns -1 if the model has no such operation, or a datagram does not
 * fit a packet. */
int anole_post_as(struct anole_world *, enum anole_verb, uint32_t src, uint32_t dst, uint64_t bytes,
                  uint64_t tag);

/* Schedules a callback (ANOLE_WOKEN) at at_ps, for the program's own events. Returns 0, or -1 if at_ps is in
 * the past. */
int anole_wake(struct anole_world *, uint64_t at_ps, uint64_t tag);

/* Returns the current time of the world. */
uint64_t anole_now_ps(const struct anole_world *);

/* Runs up to and including until_ps. Returns the number of unfinished messages and pending wake-ups, or -1 if
 * the simulation has failed; see anole_failure(). */
int64_t anole_run(struct anole_world *, uint64_t until_ps);

/* Returns the reason of a failure, or NULL. */
const char *anole_failure(const struct anole_world *);

#ifdef __cplusplus
}
#endif

#endif
