/* src/base/digest.h - a hash of bytes: FNV-1a with 128 bits.
 *
 * Detects changes. Not secure against deliberate collisions.
 */
#ifndef BASE_DIGEST_H
#define BASE_DIGEST_H

#include <stddef.h>

#define DIGEST_TEXT_SIZE 33      /* 32 hexadecimal digits and a zero byte */

struct digest { unsigned __int128 state; };

void digest_init(struct digest *);
void digest_add(struct digest *, const void *bytes, size_t length);

/* Adds a text with its end, so that "ab", "c" differs from "a", "bc". */
void digest_add_text(struct digest *, const char *text);

/* Returns buf. */
char *digest_text(char buf[DIGEST_TEXT_SIZE], const struct digest *);

#endif
