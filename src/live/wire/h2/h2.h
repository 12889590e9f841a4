/* src/live/wire/h2/h2.h - one end of a gRPC connection, from bytes to messages and back, without a socket.
 *
 * nghttp2 does HTTP/2. In gRPC a call is a stream, each message has a prefix of five bytes, and a trailer
 * with a status ends the call.
 */
#ifndef LIVE_WIRE_H2_H2_H
#define LIVE_WIRE_H2_H2_H

#include <nghttp2/nghttp2.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define H2_WAITING_MAX  1024     /* unsent messages of a call */
#define H2_MESSAGE_MAX  (4u << 20)
#define H2_WHY_SIZE     128
#define H2_PATH_SIZE    64

/* numbers of gRPC; UNSAID: none arrived */
enum h2_status { H2_OK = 0, H2_EXHAUSTED = 8, H2_UNIMPLEMENTED = 12, H2_INTERNAL = 13, H2_UNSAID = 1000 };

/* A stream lasts until one side ends it. A question is one message with one answer. */
enum h2_kind { H2_UNKNOWN, H2_STREAM, H2_QUESTION };

struct h2;
struct h2_call;

struct h2_hooks {
    enum h2_kind (*kind)(const char *path);                      /* of a server */
    /* client: when the server's settings arrived */
    void         (*open)(void *arg, struct h2_call *);
    void         (*data)(void *arg, struct h2_call *, const unsigned char *bytes, size_t length);
    /* once for each opened call, which is then freed */
    void         (*close)(void *arg, struct h2_call *);
};

struct h2_waiting { struct h2_waiting *next; size_t length; unsigned char bytes[]; };

struct h2_call {
    struct h2      *h2;
    struct h2_call *next, **back;                /* of the connection's calls */
    int32_t         stream;
    enum h2_kind    kind;
    uint32_t        number;
    char            path[H2_PATH_SIZE];
    bool            is_post, is_grpc;            /* from its headers */
    bool            is_open;                     /* 'open' was called, so 'close' will be */
    bool            is_ready;                    /* headers are complete: data are messages */
    bool            is_answered, is_ending, is_resting;          /* resting: nghttp2 waits for data */
    bool            is_cut;
    bool            is_deaf;                     /* received data is dropped */
    enum h2_status  status;                      /* client: from the trailer */
    int             http_status;
    char            why[H2_WHY_SIZE];
    unsigned char  *partial;                     /* an incomplete message */
    size_t          partial_length, partial_room;
    struct h2_waiting *first, **last;
    size_t          sent;                        /* of the first */
    uint32_t        waiting;
};

struct h2 {
    nghttp2_session *session;
    struct h2_hooks  hooks;
    void            *arg;
    bool             is_client, is_greeted;      /* greeted: the server's settings arrived */
    struct h2_call  *calls;
    bool             is_touched;                 /* nghttp2 may have something to send */
    /* Bytes of incomplete and unsent messages: what needs more than the maximum is refused. Points to
     * own_held; set both before the first byte to share a limit with other connections. */
    size_t          *held, held_max, own_held;
};

struct h2 *h2_new(const struct h2_hooks *, void *arg, bool is_client);
void       h2_free(struct h2 *);                                 /* closes all calls */

/* Takes received bytes and calls hooks. False: they are not HTTP/2, and the connection is over. */
bool h2_receive(struct h2 *, const unsigned char *bytes, size_t length);

/* The next bytes to send, valid until the next call of any function here. 0: none. */
size_t h2_output(struct h2 *, const unsigned char **bytes);
bool   h2_is_over(const struct h2 *);                            /* both sides have ended it */
void   h2_ping(struct h2 *);
void   h2_bye(struct h2 *);                                      /* no more calls */

/* A client's call. 'timeout_ms' of 0: no deadline. Freed after 'close', or by h2_free() if not opened. */
struct h2_request { const char *path, *authority; enum h2_kind kind; bool is_secure; int timeout_ms; };
struct h2_call *h2_begin(struct h2 *, const struct h2_request *);

/* In a client's 'close': has the server ended it well? If not, why; "": the connection is gone. */
bool h2_is_done(const struct h2_call *, const char **why);

/* False: H2_WAITING_MAX messages wait already. */
bool h2_send(struct h2_call *, const void *bytes, size_t length);
/* after queued messages; a client sends no status and still receives */
void h2_end(struct h2_call *, enum h2_status);
void h2_cut(struct h2_call *);                           /* now; 'close' follows with the next output */

#endif
