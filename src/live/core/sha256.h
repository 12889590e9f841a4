/* src/live/core/sha256.h - SHA-256 (FIPS 180-4): a fingerprint that nobody can forge. */
#ifndef LIVE_CORE_SHA256_H
#define LIVE_CORE_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define SHA256_TEXT_SIZE 65      /* 64 hexadecimal digits and a zero byte */

struct sha256 {
    uint32_t      state[8];
    uint64_t      bytes;         /* so far */
    unsigned char block[64];     /* what does not fill a block yet */
};

void sha256_init(struct sha256 *);
void sha256_add(struct sha256 *, const void *bytes, size_t length);

/* Writes the digits; nothing may be added after it. Returns buf. */
char *sha256_text(char buf[SHA256_TEXT_SIZE], struct sha256 *);

#endif
