#include "live/flows/flow_record.h"

uint64_t record_number(const uint8_t *b, size_t length)
{
    uint64_t value = 0;

    for (size_t i = 0; i < length && i < 8; i++)
        value = value << 8 | b[i];
    return value;
}
