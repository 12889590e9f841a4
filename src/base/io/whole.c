#include "base/io/whole.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

bool whole_read(int fd, void *bytes, size_t length)
{
    for (size_t at = 0; at < length;) {
        ssize_t n = read(fd, (char *)bytes + at, length - at);

        if (n == 0 || (n < 0 && errno != EINTR))
            return false;
        at += n > 0 ? (size_t)n : 0;
    }
    return true;
}

static ssize_t write_some(int fd, const char *bytes, size_t length)
{
    ssize_t n = send(fd, bytes, length, MSG_NOSIGNAL);

    return n < 0 && errno == ENOTSOCK ? write(fd, bytes, length) : n;
}

bool whole_write(int fd, const void *bytes, size_t length)
{
    for (size_t at = 0; at < length;) {
        ssize_t n = write_some(fd, (const char *)bytes + at, length - at);

        if (n == 0 || (n < 0 && errno != EINTR))
            return false;
        at += n > 0 ? (size_t)n : 0;
    }
    return true;
}
