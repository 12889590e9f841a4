/* src/base/file/temporary.h - an unlinked temporary file in $TMPDIR or /var/tmp; it disappears when it is
 * closed. */
#ifndef BASE_FILE_TEMPORARY_H
#define BASE_FILE_TEMPORARY_H

#include <stdbool.h>
#include <stdint.h>

const char *temporary_folder(void);

/* Returns a file descriptor, or a negative errno. */
int temporary_open(void);

/* Write or read all bytes. On failure return a negative errno or false. */
int  temporary_write(int file, const void *data, uint64_t bytes, uint64_t at);
bool temporary_read(int file, void *data, uint64_t bytes, uint64_t at);

#endif
