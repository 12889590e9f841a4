/* src/meter/monitor/monitor_message.h - what measurement points and the controller tell each other, in bytes.
 *
 * Numbers lie with the least significant byte first. PARALEON's messages are 520 bytes from a switch, 12 from
 * a NIC and 76 to both, per interval (its table IV); none of these is longer.
 */
#ifndef METER_MONITOR_MONITOR_MESSAGE_H
#define METER_MONITOR_MONITOR_MESSAGE_H

#include "core/knobs.h"
#include "core/fsd.h"

#include <stddef.h>
#include <stdint.h>

#define MESSAGE_SWITCH_BYTES 160
#define MESSAGE_NIC_BYTES    12
#define MESSAGE_KNOBS_MAX    15              /* knobs in one message: as many as PARALEON tunes of a NIC */
#define MESSAGE_NAMES_BYTES  12              /* a bit for every knob */
#define MESSAGE_KNOBS_BYTES  (4 + MESSAGE_NAMES_BYTES + 4 * MESSAGE_KNOBS_MAX)

_Static_assert(MESSAGE_SWITCH_BYTES <= 520 && MESSAGE_NIC_BYTES <= 12 && MESSAGE_KNOBS_BYTES <= 76,
               "no longer than PARALEON's");
_Static_assert(KNOB_COUNT <= 8 * MESSAGE_NAMES_BYTES, "a bit for every knob");

struct message_switch {          /* a switch to the controller */
    uint32_t   interval;         /* number of it */
    uint32_t   pauses;           /* pause frames that came */
    uint64_t   paused_ps;        /* of its ports together */
    struct fsd fsd;              /* counts of bins above UINT32_MAX are told as that */
};

struct message_nic {             /* a NIC to the controller */
    uint64_t tx_bytes;           /* told in steps of 64, up to 274 GB */
    double   rtt_ratio;          /* empty over measured round trip, 0 .. 1, to 2^-32; negative: no samples */
    uint64_t paused_ps;          /* told in nanoseconds, up to 4 s */
};

void message_encode_switch(const struct message_switch *, uint8_t bytes[MESSAGE_SWITCH_BYTES]);
void message_decode_switch(const uint8_t bytes[MESSAGE_SWITCH_BYTES], struct message_switch *);
void message_encode_nic(const struct message_nic *, uint8_t bytes[MESSAGE_NIC_BYTES]);
void message_decode_nic(const uint8_t bytes[MESSAGE_NIC_BYTES], struct message_nic *);

/* The controller to switches and NICs: the knobs that are named, at most MESSAGE_KNOBS_MAX of them, as
 * single-precision numbers. Returns the length. */
size_t message_encode_knobs(const struct knob_set *, uint32_t interval, uint8_t bytes[MESSAGE_KNOBS_BYTES]);

/* Sets those knobs and leaves the others. 0, or -EINVAL if it is no such message or a value is out of its
 * range; then nothing is set. */
int message_decode_knobs(const uint8_t *bytes, size_t length, struct knobs *, uint32_t *interval);

#endif
