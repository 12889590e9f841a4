/* Fowler, Noll, Vo and Eastlake, "The FNV Non-Cryptographic Hash Algorithm". src/base/digest.c */
#include "base/digest.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const unsigned __int128 prime = (unsigned __int128)1 << 88 | 0x13b;

void digest_init(struct digest *d)
{
    d->state = (unsigned __int128)0x6c62272e07bb0142 << 64 | 0x62b821756295c58d;
}

void digest_add(struct digest *d, const void *bytes, size_t length)
{
    const unsigned char *b = bytes;

    for (size_t i = 0; i < length; i++)
        d->state = (d->state ^ b[i]) * prime;
}

void digest_add_text(struct digest *d, const char *text)
{
    digest_add(d, text, strlen(text) + 1);
}

char *digest_text(char buf[DIGEST_TEXT_SIZE], const struct digest *d)
{
    snprintf(buf, DIGEST_TEXT_SIZE, "%016llx%016llx", (unsigned long long)(uint64_t)(d->state >> 64),
             (unsigned long long)(uint64_t)d->state);
    return buf;
}
