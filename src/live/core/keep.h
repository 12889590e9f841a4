/* src/live/core/keep.h - text that survives a damaged file: two copies, each with a number and a checksum.
 *
 *   {...}
 *   #7 SHA-256 of everything before it in 64 hexadecimal digits
 *
 * keep_write() writes one copy after the other, so one of them is always complete. If both are complete and
 * differ, the write was interrupted, and the older second copy counts. If one is damaged, the other counts.
 */
#ifndef LIVE_CORE_KEEP_H
#define LIVE_CORE_KEEP_H

#include "live/core/io.h"

#define KEEP_SEAL_SIZE 96        /* room for number and checksum */

/* Adds number and checksum to a text; 'text' has KEEP_SEAL_SIZE bytes more. Returns the new length. */
size_t keep_seal(char *text, size_t length, uint64_t number);

/* Returns the length of the text and its number; -EBADMSG: checksum mismatch. */
long keep_unseal(const char *text, size_t length, uint64_t *number);

/* Both copies of NAME, with the number after *number, which grows. On failure the first may have it
 * already. The text has KEEP_SEAL_SIZE bytes more. */
int keep_write(const struct io_disk *, const char *name, char *text, size_t length, uint64_t *number);

/* ONE: the other is missing or damaged */
enum keep_found { KEEP_BOTH, KEEP_ONE, KEEP_DAMAGED, KEEP_NONE };

/* Reads the copy that counts. take() says whether it understands a text; 'size' is the most that a file may
 * have. A file without number and checksum, as earlier versions wrote it, counts if it is alone. */
enum keep_found keep_read(const struct io_disk *, const char *name, size_t size, uint64_t *number,
                          int (*take)(void *, const char *text, size_t length), void *arg);

/* Renames damaged files, so that people can examine them. */
void keep_set_aside(const struct io_disk *, const char *name, size_t size);

#endif
