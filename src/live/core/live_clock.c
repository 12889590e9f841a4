#include "live/core/live_clock.h"
#include "base/err.h"
#include "base/print/safe.h"
#include "core/units.h"

#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
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

/* Returns false if nobody reads what was written before: the line would block. */
static bool write_line(const char *line, size_t length)
{
    struct pollfd fd = { .fd = STDERR_FILENO, .events = POLLOUT };
    ssize_t       sent = send(STDERR_FILENO, line, length, MSG_DONTWAIT | MSG_NOSIGNAL);

    if (sent >= 0 || errno != ENOTSOCK)
        return sent >= 0;
    if (poll(&fd, 1, 0) != 1 || !(fd.revents & POLLOUT))
        return false;
    return write(STDERR_FILENO, line, length) >= 0;      /* at most PIPE_BUF: a pipe that has room has that */
}

void clock_log(const char *format, ...)
{
    static atomic_uint lost;
    char               line[PIPE_BUF];
    va_list            args;

    va_start(args, format);
    char *text = safe_format(format, args);
    va_end(args);
    unsigned missing = lost;
    int      used = 0;

    if (missing)
        used = snprintf(line, sizeof line, "anole: %u lines are missing: nobody read them\n", missing);
    int more = snprintf(line + used, sizeof line - (size_t)used, "anole: %s\n", text);

    free(text);
    used = more < (int)sizeof line - used ? used + more : (int)sizeof line - 1;
    line[used - 1] = '\n';
    if (write_line(line, (size_t)used))
        lost -= missing;
    else
        lost++;
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
