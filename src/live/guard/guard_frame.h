/* src/live/guard/guard_frame.h - what an agent and the guard of a device say to each other.
 *
 * Frames of fixed layout over a pair of connected sockets that keep frames apart (SOCK_SEQPACKET). Both
 * ends are of one build, and the guard is started by the agent: the layout is that of the compiler. The
 * guard never waits for the agent.
 */
#ifndef LIVE_GUARD_GUARD_FRAME_H
#define LIVE_GUARD_GUARD_FRAME_H

#include <stddef.h>
#include <stdint.h>

#define GUARD_FD        3                /* the guard's end */
#define GUARD_LINES_MAX 20               /* as many parameters as a device has */
#define GUARD_PATH_SIZE 320
#define GUARD_TEXT_SIZE 768
#define GUARD_NEVER     UINT64_MAX

enum guard_target {
    GUARD_FILE,                          /* 'path' is opened, and the text is one write() */
    GUARD_SOCKET,                        /* the text is sent to the Unix socket 'path' */
};

struct guard_line {
    uint32_t target;                     /* enum guard_target */
    char     path[GUARD_PATH_SIZE];
    char     attempt[GUARD_TEXT_SIZE];   /* of the trial */
    char     back[GUARD_TEXT_SIZE];      /* of the setting before it */
    char     good[32];                   /* SOCKET: the answer to a text that was taken .. */
    char     foreign[32];                /* .. and to one that found another's value, and changed nothing */
};

enum guard_order { GUARD_HELLO, GUARD_TRY, GUARD_BACK, GUARD_DROP, GUARD_KEEP, GUARD_ASK };

struct guard_frame {
    uint32_t          order;             /* enum guard_order */
    uint32_t          number;            /* comes back in the answer; KEEP has none */
    uint64_t          sent_us;
    uint64_t          until_us;          /* TRY, KEEP: the lease; HELLO: the patience */
    uint32_t          count;             /* of lines that follow: the frame ends behind the last */
    uint32_t          unused;
    struct guard_line line[GUARD_LINES_MAX];
};

static inline size_t guard_frame_size(uint32_t lines)
{
    return offsetof(struct guard_frame, line) + lines * sizeof(struct guard_line);
}

enum guard_why { GUARD_NO_WHY, GUARD_LEASE_ENDED, GUARD_AGENT_SILENT, GUARD_AGENT_GONE, GUARD_TOO_SLOW };

struct guard_answer {
    uint32_t number;                     /* of the order; 0: news, a trial was taken back unasked */
    int32_t  rc;
    uint32_t why;                        /* news: enum guard_why */
    uint32_t is_locked;                  /* HELLO: the guard cannot be swapped out */
};

#endif
