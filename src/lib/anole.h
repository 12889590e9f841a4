/* anole.h - Anole's simulated network for programs in C: libanole.
 *
 * A world is one simulated network. A program posts messages between hosts, lets time pass, and is told when messages have come and when
 * their senders know. Times are picoseconds from the start of the world, sizes bytes. Hosts are numbered from 0.
 *
 *     struct anole_world *w = anole_open("topology: {kind: star, hosts: 2}", error, sizeof error);
 *     anole_on_message(w, told, NULL);
 *     anole_post(w, 0, 1, 1000000, 7);
 *     anole_run(w, 1000000000);              // to 1 ms
 *     anole_close(w);
 *
 * Worlds are independent: each may be used by one thread at a time, different ones by different threads. What is told is told by the thread that
 * calls anole_run(), from inside of it; there, more messages may be posted, at the time that is told.
 */
#ifndef ANOLE_H
#define ANOLE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ANOLE_ABI 1              /* grows when programs must be compiled again */

struct anole_world;

enum anole_event {
    ANOLE_ARRIVED,               /* the last byte has come to its destination */
    ANOLE_SENT,                  /* the source has the acknowledgement of all of it */
    ANOLE_WOKEN                  /* it is the time that anole_wake() was given; of the message its tag alone counts */
};

struct anole_message {
    uint32_t src, dst;
    uint64_t bytes, tag;         /* as posted */
    uint64_t posted_ps;
};

typedef void anole_told(void *arg, enum anole_event, uint64_t now_ps, const struct anole_message *);

/* ANOLE_ABI of the library that is loaded. */
int anole_abi(void);

/* Makes a world from a scenario (docs/scenario.md), as text; its traffic, if it has any, runs beside what is posted. NULL: it cannot be,
 * and 'error', of so many bytes, says why. */
struct anole_world *anole_open(const char *scenario, char *error, size_t error_bytes);
void anole_close(struct anole_world *);

uint32_t anole_hosts(const struct anole_world *);

/* Who is told of messages that were posted. */
void anole_on_message(struct anole_world *, anole_told *, void *arg);

/* Posts a message now, on a queue pair from src to dst that lives on. Returns 0, or -1: there are no such hosts, both are the same, or it has
 * no bytes. */
int anole_post(struct anole_world *, uint32_t src, uint32_t dst, uint64_t bytes, uint64_t tag);

/* Has the program told (ANOLE_WOKEN) at at_ps, which is not before the present: between messages, a program may have things of its own to do. Returns 0, or -1: it is
 * before the present. */
int anole_wake(struct anole_world *, uint64_t at_ps, uint64_t tag);

/* The world's time. */
uint64_t anole_now_ps(const struct anole_world *);

/* Lets everything happen up to and including until_ps. Returns how many messages that were posted and wakes are not over, or -1: the world cannot go on, and
 * anole_failure() says why. */
int64_t anole_run(struct anole_world *, uint64_t until_ps);

/* NULL: it can. */
const char *anole_failure(const struct anole_world *);

#ifdef __cplusplus
}
#endif

#endif
