#include "study/report/trace/icrc.h"

#include <stdbool.h>

#define POLYNOMIAL 0xedb88320u
/* what counts as ones is among the first bytes: IPv4, UDP, and five of the BTH */
#define MASKED     48u

static uint32_t add_zeros(const struct icrc *c, uint32_t crc, uint32_t bytes)
{
    while (bytes-- > 0)
        crc = c->table[crc & 0xff] ^ crc >> 8;
    return crc;
}

void icrc_init(struct icrc *c, uint32_t zeros)
{
    for (uint32_t i = 0; i < 256; i++) {
        c->table[i] = i;
        for (int bit = 0; bit < 8; bit++)
            c->table[i] = c->table[i] >> 1 ^ (c->table[i] & 1 ? POLYNOMIAL : 0);
    }
    c->zeros = zeros;
    /* linear: what it makes of a byte is the sum of what it makes of its bits */
    for (uint32_t byte = 0; byte < 4; byte++) {
        for (uint32_t bit = 0; bit < 8; bit++)
            c->skip[byte][1u << bit] = add_zeros(c, 1u << (8 * byte + bit), zeros);
        c->skip[byte][0] = 0;
        for (uint32_t i = 1; i < 256; i++)
            c->skip[byte][i] = c->skip[byte][i & (i - 1)] ^ c->skip[byte][i & (0u - i)];
    }
}

/* IPv4: type of service 1, time to live 8, checksum 10, 11. UDP: checksum 26, 27. BTH: 32. */
static bool is_masked(uint32_t at)
{
    return at == 1 || at == 8 || at == 10 || at == 11 || at == 26 || at == 27 || at == 32;
}

uint32_t icrc_of(const struct icrc *c, const unsigned char *ip, uint32_t bytes, uint32_t zeros)
{
    uint32_t crc = 0xffffffffu;

    for (int i = 0; i < 8; i++)
        crc = c->table[(crc ^ 0xff) & 0xff] ^ crc >> 8;
    for (uint32_t i = 0; i < bytes; i++) {
        uint32_t byte = i < MASKED && is_masked(i) ? 0xff : ip[i];

        crc = c->table[(crc ^ byte) & 0xff] ^ crc >> 8;
    }
    if (zeros == c->zeros)
        crc = c->skip[0][crc & 0xff] ^ c->skip[1][crc >> 8 & 0xff] ^ c->skip[2][crc >> 16 & 0xff] ^
              c->skip[3][crc >> 24];
    else
        crc = add_zeros(c, crc, zeros);
    return ~crc;
}
