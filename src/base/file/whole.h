/* src/base/file/whole.h - reads and writes all bytes of a file or a message. */
#ifndef BASE_FILE_WHOLE_H
#define BASE_FILE_WHOLE_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Return false if the other end has closed it, or on failure. A closed socket raises no SIGPIPE. */
bool whole_read(int fd, void *bytes, size_t length);
bool whole_write(int fd, const void *bytes, size_t length);

struct mapped { const char *data; size_t size; };        /* a memory-mapped file, read only */

/* Errors name the file. An empty file is valid and has size 0. */
int  mapped_open(struct mapped *, const char *path, struct err *);
void mapped_close(struct mapped *);

#endif
