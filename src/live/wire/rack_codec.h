/* src/live/wire/rack_codec.h - racks as bytes: protocol buffers, as src/live/wire/anole.proto says. */
#ifndef LIVE_WIRE_RACK_CODEC_H
#define LIVE_WIRE_RACK_CODEC_H

#include "live/core/rack.h"

#include <stddef.h>

/* Is it meant to be a rack, or a message of one device? */
bool rack_codec_is(const unsigned char *bytes, size_t length);

/* Returns the length; the bytes are malloc'd. */
size_t rack_codec_write(const struct rack *, unsigned char **bytes);

/* -EBADMSG: not a rack, or one of its messages is malformed; *rack is then undefined. It must be initialized,
 * and is emptied first. */
int rack_codec_read(struct rack *, const unsigned char *bytes, size_t length);

#endif
