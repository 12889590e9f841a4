/* src/live/h2/h2_state.h - the state of a connection and its calls; h2.h says what they do. */
#ifndef LIVE_H2_H2_STATE_H
#define LIVE_H2_H2_STATE_H

#include <nghttp2/nghttp2.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define H2_WAITING_MAX  1024     /* unsent messages of a call */
#define H2_MESSAGE_MAX  (4u << 20)
#define H2_WHY_SIZE     128

#define H2_PREFIX     5u            /* of a message: is it compressed, and its length */
#define H2_PATH_SIZE 64

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
    size_t          *held, held_max;             /* bytes of incomplete and unsent messages; shared:
                                                  * h2_share() */
    size_t           own_held;
};

#endif
