#include "live/core/live_clock.h"
#include "base/err.h"
#include "base/print/safe.h"
#include "core/units.h"

#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

void clock_wait(struct pollfd *fd, uint32_t count, uint64_t until_us)
{
    uint64_t        now_us = clock_us(), left_us = until_us > now_us ? until_us - now_us : 0;
    struct timespec t = { (time_t)(left_us / 1000000), (long)(left_us % 1000000) * 1000 };

    ppoll(fd, count, until_us == NEVER ? NULL : &t, NULL);
}

int clock_signals(void)
{
    sigset_t set;

    signal(SIGPIPE, SIG_IGN);
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    sigprocmask(SIG_BLOCK, &set, NULL);
    int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (fd < 0)
        die("signalfd: %s", strerror(errno));
    return fd;
}

void clock_log(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fputs("anole: ", stderr);
    safe_vprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

void clock_notify(const char *state)
{
    struct sockaddr_un a = { .sun_family = AF_UNIX };
    const char        *path = getenv("NOTIFY_SOCKET");

    if (!path || !*path || strlen(path) >= sizeof a.sun_path)
        return;
    memcpy(a.sun_path, path, strlen(path) + 1);
    if (*path == '@')
        a.sun_path[0] = '\0';    /* an abstract socket */
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return;
    (void)sendto(fd, state, strlen(state), MSG_NOSIGNAL, (struct sockaddr *)&a,
                 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path)));
    close(fd);
}
