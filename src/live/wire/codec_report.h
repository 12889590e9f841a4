/* src/live/wire/codec_report.h - reports, which are nearly all that a controller hears, read without building an object of each. */
#ifndef LIVE_WIRE_CODEC_REPORT_H
#define LIVE_WIRE_CODEC_REPORT_H

#include "live/core/msg.h"

#include <stddef.h>

/* False: it is not a plain report, which has only numbers, each at most once; codec_read_detail() reads all there are. What it takes it takes as
 * that does. On false what *m and *detail hold is of no use. 'detail' may be NULL: flow sizes are left out then. */
bool codec_report_read(struct msg *, struct msg_detail *detail, const unsigned char *bytes, size_t length);

#endif
