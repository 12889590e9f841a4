/* src/base/file/mapped.h - a memory-mapped file, read only. */
#ifndef BASE_FILE_MAPPED_H
#define BASE_FILE_MAPPED_H

#include "base/err.h"

#include <stddef.h>

struct mapped { const char *data; size_t size; };

/* Errors name the file. An empty file is valid and has size 0. */
int  mapped_open(struct mapped *, const char *path, struct err *);
void mapped_close(struct mapped *);

#endif
