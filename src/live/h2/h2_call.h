/* src/live/h2/h2_call.h - calls of either end: queued messages, and received ones. */
#ifndef LIVE_H2_H2_CALL_H
#define LIVE_H2_H2_CALL_H

#include "live/h2/h2_state.h"

/* False: H2_WAITING_MAX messages wait already. */
bool h2_send(struct h2_call *, const void *bytes, size_t length);
/* after queued messages; a client sends no status and still receives */
void h2_end(struct h2_call *, enum h2_status);
/* now; 'close' follows with the next output */
void h2_cut(struct h2_call *);

/* For the two ends. */
nghttp2_nv h2_call_header(const char *name, const char *value);
bool       h2_call_is_text(const uint8_t *bytes, size_t length, const char *text);
bool       h2_call_is_grpc(const uint8_t *content_type, size_t length);

struct h2_call       *h2_call_add(struct h2 *);
void                  h2_call_free(struct h2_call *);
void                  h2_call_take(struct h2_call *, const unsigned char *bytes, size_t length);
nghttp2_data_provider h2_call_source(struct h2_call *);
void                  h2_call_answer(struct h2_call *);          /* a server's headers; once */

#endif
