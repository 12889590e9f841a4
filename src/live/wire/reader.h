/* src/live/wire/reader.h - fields of protocol buffers one after another, where they lie. The numbers are those of anole.proto.
 *
 * It is stricter than protocol buffers are: each field once, numbers as short as they can be. Who does not get on with it asks protobuf-c.
 */
#ifndef LIVE_WIRE_READER_H
#define LIVE_WIRE_READER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { READER_VARINT = 0, READER_BYTES = 2, READER_FIXED32 = 5 };

/* What is left of a message. A field that cannot be read sets is_bad, and the rest is empty. */
struct reader { const unsigned char *at, *end; uint64_t seen; bool is_bad; };

static inline uint64_t reader_bad(struct reader *r)
{
    r->is_bad = true;
    r->at = r->end;
    return 0;
}

/* At most nine bytes: what is longer has more than 63 bits, or is not written as short as it could be. */
static inline uint64_t reader_varint(struct reader *r)
{
    uint64_t value = 0;

    for (int shift = 0; r->at < r->end && shift < 63; shift += 7) {
        unsigned char b = *r->at++;

        value |= (uint64_t)(b & 0x7f) << shift;
        if (b < 0x80)
            return value;
    }
    return reader_bad(r);
}

static inline float reader_real(struct reader *r)
{
    float value = 0;

    if (r->end - r->at < 4)
        reader_bad(r);
    else {
        uint32_t bits = r->at[0] | (uint32_t)r->at[1] << 8 | (uint32_t)r->at[2] << 16 | (uint32_t)r->at[3] << 24;

        memcpy(&value, &bits, sizeof value);
        r->at += 4;
    }
    return value;
}

/* yes or no, in one way */
static inline bool reader_flag(struct reader *r)
{
    uint64_t value = reader_varint(r);

    return value <= 1 ? value : reader_bad(r);
}

static inline struct reader reader_part(struct reader *r)
{
    uint64_t      length = reader_varint(r);
    struct reader inner = { .at = r->at };

    if (r->is_bad || length > (uint64_t)(r->end - r->at)) {
        reader_bad(r);
        inner.at = r->end;
        length = 0;
    }
    inner.end = inner.at + length;
    if (!r->is_bad)
        r->at = inner.end;
    return inner;
}

/* The next field: its number and type; 0 in the end. Each may come once. */
static inline unsigned reader_next(struct reader *r)
{
    uint64_t key, number;

    if (r->at == r->end)
        return 0;
    key = reader_varint(r);
    number = key >> 3;
    if (r->is_bad || !number || number > 31 || r->seen >> number & 1)
        return (unsigned)reader_bad(r);
    r->seen |= 1ull << number;
    return (unsigned)key;
}

static inline unsigned reader_key(unsigned number, unsigned type)
{
    return number << 3 | type;
}

#endif
