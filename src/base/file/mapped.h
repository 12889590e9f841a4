/* src/base/file/mapped.h - a file as it lies on disk, byte by byte: what is not read costs no memory. */
#ifndef BASE_FILE_MAPPED_H
#define BASE_FILE_MAPPED_H

#include "base/err.h"

#include <stddef.h>

struct mapped { const char *data; size_t size; };

/* The reason names the file. An empty file has no bytes and is none that is wrong. */
int  mapped_open(struct mapped *, const char *path, struct err *);
void mapped_close(struct mapped *);

#endif
