#include "base/file/whole.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
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

/* ---- mapped ---- */

int mapped_open(struct mapped *m, const char *path, struct err *err)
{
    int         fd = open(path, O_RDONLY | O_CLOEXEC), code = errno;
    struct stat is;

    *m = (struct mapped){ "", 0 };
    if (fd < 0)
        return err_set(err, code, "%s: %s", path, strerror(code));
    if (fstat(fd, &is) || !S_ISREG(is.st_mode)) {
        close(fd);
        return err_set(err, EISDIR, "%s: not a regular file", path);
    }
    void *data = is.st_size ? mmap(NULL, (size_t)is.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : NULL;
    code = errno;
    close(fd);
    if (data == MAP_FAILED)
        return err_set(err, code, "%s: %s", path, strerror(code));
    if (data)
        *m = (struct mapped){ data, (size_t)is.st_size };
    return 0;
}

void mapped_close(struct mapped *m)
{
    if (m->size)
        munmap((void *)m->data, m->size);
    *m = (struct mapped){ "", 0 };
}
