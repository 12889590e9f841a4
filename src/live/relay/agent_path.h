/* src/live/relay/agent_path.h - which way an agent goes to its controller: through one of its relays or, the
 * last of its ways, directly to one of the controllers of its cell.
 *
 * It begins with the first. A way that is cut, or on which nothing was heard for a while, is left for the
 * next, and after the last comes the first again. Where there are relays it goes back to the first of them by
 * itself from time to time: they are there to be used. Among controllers it stays: only one of them acts.
 */
#ifndef LIVE_RELAY_AGENT_PATH_H
#define LIVE_RELAY_AGENT_PATH_H

#include <stdbool.h>
#include <stdint.h>

struct path {
    uint32_t ways, at;           /* 0 .. ways - 1 */
    uint32_t relays;             /* so many of the ways, the first ones */
    uint64_t silence_us;         /* a way on which nothing is heard for so long is left */
    uint64_t return_us;          /* back to the first relay after so long */
    uint64_t since_us, heard_us;
};

/* relays of 0: all paths are controllers, and it never returns to an earlier one. */
void path_init(struct path *, uint32_t ways, uint32_t relays, uint64_t silence_us, uint64_t return_us,
               uint64_t now_us);

/* Something came from there. */
void path_heard(struct path *, uint64_t now_us);

/* It was cut: takes the next. */
void path_lost(struct path *, uint64_t now_us);

/* Returns whether it is another way from now on. */
bool path_on_tick(struct path *, uint64_t now_us);

#endif
