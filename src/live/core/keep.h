/* src/live/core/keep.h - JSON that survives a damaged file: two copies, each with a number and a checksum.
 *
 *   {...}
 *   #7 SHA-256 of everything before it in 64 hexadecimal digits
 *
 * keep_write() writes one copy after the other, so one of them is always complete. If both are complete and
 * differ, the write was interrupted, and the older second copy counts. If one is damaged, the other counts.
 */
#ifndef LIVE_CORE_KEEP_H
#define LIVE_CORE_KEEP_H

#include "base/json.h"
#include "live/core/io.h"

#include <stdbool.h>

/* Prints an object, which it releases, with a number and the checksum. Returns the length; 0: no room. */
size_t keep_print(char *text, size_t size, json_t *, size_t flags, uint64_t number);

/* Returns the length of the text and its number; -EBADMSG: checksum mismatch. */
long keep_unseal(const char *text, size_t length, uint64_t *number);

/* Writes an object, which it releases, to both copies of NAME, with the number after *number, which grows. On
 * failure the first may have it already. 'flags' are jansson's. 'text' is room for the file, whose most bytes
 * are 'size'. */
int keep_write(const struct io_disk *, const char *name, json_t *, size_t flags, char *text, size_t size,
               uint64_t *number);

/* take() says whether it understands the object. -EBADMSG: it does not, or this is not JSON. */
int keep_parse(const char *text, size_t length, bool (*take)(void *, json_t *), void *arg);

/* ONE: the other is missing or damaged */
enum keep_found { KEEP_BOTH, KEEP_ONE, KEEP_DAMAGED, KEEP_NONE };

/* Parses the copy that counts; 'size' is the most that a file may have. A file without number and checksum,
 * as earlier versions wrote it, counts if it is alone. */
enum keep_found keep_read(const struct io_disk *, const char *name, size_t size, uint64_t *number,
                          bool (*take)(void *, json_t *), void *arg);

/* Renames damaged files, so that people can examine them. */
void keep_set_aside(const struct io_disk *, const char *name, size_t size);

#endif
