/* src/live/wire/codec.h - messages as bytes: protocol buffers, as src/live/wire/anole.proto says. */
#ifndef LIVE_WIRE_CODEC_H
#define LIVE_WIRE_CODEC_H

#include "live/core/msg.h"

#include <stddef.h>

#define CODEC_BYTES_MAX 65536

/* On the wire a paused time that is not known is a bit of 'unknown'; in a sample it is NAN. */
#define CODEC_UNKNOWN_PAUSED (1ull << MSG_SAMPLE_COUNTERS)

/* Returns the length; 'bytes' has room for CODEC_BYTES_MAX. */
size_t codec_write(const struct msg *, unsigned char *bytes);

/* -EBADMSG: not a message of ours: an unknown knob, not a number, too long a name, or a term above
 * MSG_TERM_MAX. The output is unchanged then. */
int codec_read(struct msg *, const unsigned char *bytes, size_t length);

/* The same; details of a report go to *detail, those of LEARN to *learn, and the message then points there.
 * NULL: they are left out. */
int codec_read_all(struct msg *, struct msg_detail *detail, struct msg_learn *learn,
                   const unsigned char *bytes, size_t length);

#define QUESTION_TEXT_SIZE 256

struct question { uint32_t version; char verb[32], device[MSG_NAME_SIZE], why[QUESTION_TEXT_SIZE], code[32];
                  uint64_t number; };

size_t codec_write_question(const struct question *, unsigned char *bytes);
int    codec_read_question(struct question *, const unsigned char *bytes, size_t length);

/* Both texts are malloc'd; nothing is written on failure. A reply may be longer than CODEC_BYTES_MAX: the
 * bytes are malloc'd. */
size_t codec_write_reply(const char *error, const char *text, unsigned char **bytes);
int    codec_read_reply(char **error, char **text, const unsigned char *bytes, size_t length);

#endif
