/* src/live/wire/rack_plain.h - racks of rows alone, which are nearly all that a controller hears from relays, read without building objects. */
#ifndef LIVE_WIRE_RACK_PLAIN_H
#define LIVE_WIRE_RACK_PLAIN_H

#include "live/core/rack.h"

#include <stddef.h>

/* False: it is not a plain rack, one without items; rack_codec_read() reads all there are. What it takes it takes as that does. The rack
 * is empty; on false what it holds is of no use. */
bool rack_plain_read(struct rack *, const unsigned char *bytes, size_t length);

#endif
