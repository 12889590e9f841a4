/* tests/live/preload/stall.c - a library for LD_PRELOAD that makes a disk or a device hang, for stalls.py.
 *
 * In the folder $STALL, a file 'fsync' stalls fsync() and fdatasync() as long as it is there, and a file 'hang' stalls
 * every open() for writing of a path that contains its text.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int real_open(const char *path, int flags, mode_t mode)
{
    static int (*next)(const char *, int, ...);

    if (!next)
        next = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open64");
    return next(path, flags, mode);
}

/* Has the file 'name' text that is part of 'path'? */
static int stalls(const char *name, const char *path)
{
    char        file[512], text[128] = "";
    const char *folder = getenv("STALL");

    if (!folder)
        return 0;
    snprintf(file, sizeof file, "%s/%s", folder, name);
    int fd = real_open(file, O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0)
        return 0;
    ssize_t length = read(fd, text, sizeof text - 1);
    close(fd);
    return length >= 0 && (!path || (*text && strstr(path, text)));
}

static void wait_while(const char *name, const char *path)
{
    const struct timespec moment = { .tv_nsec = 20000000 };

    while (stalls(name, path))
        nanosleep(&moment, NULL);
}

int fsync(int fd)
{
    int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");

    wait_while("fsync", NULL);
    return next(fd);
}

int fdatasync(int fd)
{
    int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");

    wait_while("fsync", NULL);
    return next(fd);
}

int open64(const char *path, int flags, ...)
{
    va_list args;

    va_start(args, flags);
    mode_t mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
    va_end(args);
    if ((flags & O_ACCMODE) != O_RDONLY)
        wait_while("hang", path);
    return real_open(path, flags, mode);
}

int open(const char *path, int flags, ...)
{
    va_list args;

    va_start(args, flags);
    mode_t mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
    va_end(args);
    return open64(path, flags, mode);
}
