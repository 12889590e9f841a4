/* src/base/io/whole.h - reading and writing all of it, however many calls that takes. */
#ifndef BASE_IO_WHOLE_H
#define BASE_IO_WHOLE_H

#include <stdbool.h>
#include <stddef.h>

/* False: the other end has closed it, or it failed. A socket that was closed raises no SIGPIPE. */
bool whole_read(int fd, void *bytes, size_t length);
bool whole_write(int fd, const void *bytes, size_t length);

#endif
