/* src/live/h2/h2_state.h - what the files of h2.h share. */
#ifndef LIVE_H2_H2_STATE_H
#define LIVE_H2_H2_STATE_H

#include "live/h2/h2.h"

#include <nghttp2/nghttp2.h>

#define PREFIX     5u            /* of a message: is it compressed, and its length */
#define PATH_SIZE  64
#define HEAD       9u            /* of a frame */
#define UPDATE     13u           /* a frame that opens a window */

struct waiting { struct waiting *next; size_t length; unsigned char bytes[]; };

struct h2_call {
    struct h2      *h2;
    struct h2_call *next, **back;                /* of the connection's calls */
    int32_t         stream;
    enum h2_kind    kind;
    uint32_t        number;
    char            path[PATH_SIZE];
    bool            is_post, is_grpc;            /* as its headers say */
    bool            is_open;                     /* 'open' was called: 'close' will be */
    bool            is_ready;                    /* what comes are messages */
    bool            is_answered, is_ending, is_resting;          /* resting: nghttp2 waits for something to send */
    bool            is_cut;
    bool            is_deaf;                     /* what comes is thrown away */
    bool            is_said;                     /* the other side has nothing more to say */
    uint32_t        owed;                        /* bytes that came past nghttp2 since its window was opened */
    enum h2_status  status;                      /* of a client: as the other side says */
    int             http_status;
    char            why[H2_WHY_SIZE];
    unsigned char  *partial;                     /* of a message that has not come whole */
    size_t          partial_length, partial_room;
    struct waiting *first, **last;
    size_t          sent;                        /* of the first */
    uint32_t        waiting;
};

struct h2 {
    nghttp2_session *session;
    struct h2_hooks  hooks;
    void            *arg;
    bool             is_client, is_greeted;      /* greeted: the server has begun to speak */
    struct h2_call  *calls;
    bool             is_touched;                 /* nghttp2 may have something to send */
    bool             is_in_headers;              /* more of them must come before anything else */
    size_t           left;                       /* of the frame that nghttp2 is in the middle of */
    unsigned char    head[HEAD];                 /* of the next, as far as it has come */
    size_t           head_length;
    uint32_t         owed;                       /* as of a call */
    bool             is_shut;                    /* a window is half used */
    unsigned char    update[UPDATE];
};

nghttp2_nv h2_header(const char *name, const char *value);
bool       h2_is_text(const uint8_t *bytes, size_t length, const char *text);

/* Calls. */
struct h2_call       *h2_call_add(struct h2 *);
void                  h2_call_free(struct h2_call *);
void                  h2_call_take(struct h2_call *, const unsigned char *bytes, size_t length);
nghttp2_data_provider h2_call_source(struct h2_call *);
void                  h2_answer(struct h2_call *);              /* a server's headers; once */

/* What the two ends do with frames. */
void h2_serve_callbacks(nghttp2_session_callbacks *);
void h2_dial_callbacks(nghttp2_session_callbacks *);

#endif
