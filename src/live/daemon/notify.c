#include "live/daemon/notify.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

void notify(const char *state)
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

void notify_reload(void (*reload)(void *), void *arg)
{
    struct timespec now;
    char            text[80];

    /* systemd's clock, which is not that of the state machines */
    clock_gettime(CLOCK_MONOTONIC, &now);
    snprintf(text, sizeof text, "RELOADING=1\nMONOTONIC_USEC=%" PRIu64,
             (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000);
    notify(text);
    reload(arg);
    notify("READY=1");
}

void notify_alive(uint64_t now_us)
{
    static uint64_t next_us;
    const char     *text = getenv("WATCHDOG_USEC");
    uint64_t        period_us = text ? strtoull(text, NULL, 10) : 0;

    if (!period_us || now_us < next_us)
        return;
    next_us = now_us + period_us / 2;
    notify("WATCHDOG=1");
}
