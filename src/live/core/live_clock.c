#include "live/core/live_clock.h"
#include "base/err.h"
#include "base/print/safe.h"
#include "core/units.h"

#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>

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
