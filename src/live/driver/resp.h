/* src/live/driver/resp.h - many questions to Redis as bytes, and its answers, without an object for each: what is asked a thousand times a
 * second is always the same, and numbers are read where they lie.
 */
#ifndef LIVE_DRIVER_RESP_H
#define LIVE_DRIVER_RESP_H

#include <stddef.h>
#include <stdint.h>

#define RESP_TEXT_MAX 200        /* of a value that is told; a longer one is none of ours */

struct resp_buffer { char *bytes; size_t length, room; };
void resp_buffer_fini(struct resp_buffer *);
void resp_buffer_add(struct resp_buffer *, const void *bytes, size_t length);

/* Adds HMGET key field... */
void resp_add_get(struct resp_buffer *, const char *key, const char *const *field, int fields);

/* Reads one answer to it: calls with the text of each field that is there. Returns how many bytes it has; 0: it has not come whole;
 * below 0: it is something else, such as an error. Nothing is told before it has come whole. */
long resp_take(const char *bytes, size_t length, int fields, void (*take)(void *, int field, const char *text), void *arg);

#endif
