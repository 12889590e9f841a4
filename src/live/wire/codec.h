/* src/live/wire/codec.h - messages as bytes: protocol buffers, as src/live/wire/anole.proto says. */
#ifndef LIVE_WIRE_CODEC_H
#define LIVE_WIRE_CODEC_H

#include "live/core/rack.h"

#include <stddef.h>

#define CODEC_BYTES_MAX 65536

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

/* ---- racks ---- */

/* Is it meant to be a rack, or a message of one device? */
bool rack_codec_is(const unsigned char *bytes, size_t length);

/* Returns the length; the bytes are malloc'd. */
size_t rack_codec_write(const struct rack *, unsigned char **bytes);

/* -EBADMSG: not a rack, or one of its messages is malformed; *rack is then undefined. It must be initialized,
 * and is emptied first. */
int rack_codec_read(struct rack *, const unsigned char *bytes, size_t length);

#endif
