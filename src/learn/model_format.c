#include "learn/model_format.h"

#include <math.h>
#include <string.h>

bool model_is_word(const char *text, size_t length)
{
    size_t good = 0;

    while (good < length && text[good] && strchr("abcdefghijklmnopqrstuvwxyz0123456789_-", text[good]))
        good++;
    return good == length && length > 0;
}

bool model_is_control(char c)
{
    return (unsigned char)c < ' ' || c == 127;
}

/* Castagnoli polynomial, bit by bit: models are small. */
uint32_t model_crc(const unsigned char *bytes, size_t length)
{
    uint32_t crc = ~0u;

    while (length--) {
        crc ^= *bytes++;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
    }
    return ~crc;
}

int model_check_finite(const struct net *n, const char *name, struct err *err)
{
    for (uint32_t i = 0; i < n->parameters; i++)
        if (!isfinite(n->parameter[i]))
            return err_set(err, EINVAL, "%s: parameter %u of the net is not a finite number", name, i);
    return 0;
}
