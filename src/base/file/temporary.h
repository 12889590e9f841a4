/* src/base/file/temporary.h - a file without a name, in $TMPDIR or /var/tmp: it is gone when it is closed, however the program ends. */
#ifndef BASE_FILE_TEMPORARY_H
#define BASE_FILE_TEMPORARY_H

#include <stdbool.h>
#include <stdint.h>

const char *temporary_folder(void);

/* Returns its descriptor, or a negative errno. */
int temporary_open(void);

/* All of it or an error: a negative errno; false. */
int  temporary_write(int file, const void *data, uint64_t bytes, uint64_t at);
bool temporary_read(int file, void *data, uint64_t bytes, uint64_t at);

#endif
