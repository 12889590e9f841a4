#include "base/file/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PIECE (1u << 30)         /* the kernel takes no more than 2 GB at a time */

const char *temporary_folder(void)
{
    const char *folder = getenv("TMPDIR");

    return folder && *folder ? folder : "/var/tmp";
}

int temporary_open(void)
{
    char path[4096];
    int  length = snprintf(path, sizeof path, "%s/anole-XXXXXX", temporary_folder()), file;

    if (length >= (int)sizeof path)
        return -ENAMETOOLONG;
    file = mkostemp(path, O_CLOEXEC);
    if (file < 0)
        return -errno;
    unlink(path);
    return file;
}

int temporary_write(int file, const void *data, uint64_t bytes, uint64_t at)
{
    const char *p = data;

    while (bytes) {
        ssize_t n = pwrite(file, p, bytes < PIECE ? bytes : PIECE, (off_t)at);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : -ENOSPC;
        p += n;
        at += (uint64_t)n;
        bytes -= (uint64_t)n;
    }
    return 0;
}

bool temporary_read(int file, void *data, uint64_t bytes, uint64_t at)
{
    char *p = data;

    while (bytes) {
        ssize_t n = pread(file, p, bytes < PIECE ? bytes : PIECE, (off_t)at);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        p += n;
        at += (uint64_t)n;
        bytes -= (uint64_t)n;
    }
    return true;
}
