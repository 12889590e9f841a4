/* src/live/guard/guard_main.c - anole-guard: the process that takes back what an agent tried at one device.
 *
 * An agent starts one for each of its devices, before it opens anything else. So a device that hangs in
 * write() delays only its own guard, and nothing that blocks or ends the agent delays any. The guard waits
 * for two things, a frame from the agent and the time at which deadman.h wants to be called, and touches
 * the device, and nothing else: no disk, log, lock, name service or heap. Its memory is locked if the limit
 * allows it (LimitMEMLOCK=).
 *
 * It ends when its agent has ended and the device is back; signals other than SIGKILL do not end it. It
 * inherits the lock of the agent's folder: no other agent starts for the device until it has ended.
 *
 * To check it, read guard_frame.h, deadman.h, deadman.c and this file. It is linked with the C library
 * alone.
 */
#include "live/guard/deadman.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define SOCKET_S 1                       /* patience with a socket that does not answer */

static struct guard_frame frame;         /* the last one: too large for the stack that is locked */
static struct deadman     deadman;
static int                remote = -1;   /* the connection of lines of kind SOCKET */

/* On a machine whose processors are all busy it would wait for its turn. It works for moments, and the kernel
 * throttles what does not. If it may not (LimitRTPRIO=), it is at least nice to itself (LimitNICE=). */
static void come_first(void)
{
    if (sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){ .sched_priority = 1 }))
        setpriority(PRIO_PROCESS, 0, -10);
}

/* ---- the clock ---- */

static uint64_t now_us(void *unused)
{
    struct timespec t;

    (void)unused;
    clock_gettime(CLOCK_BOOTTIME, &t);
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

/* ---- files ---- */

static int read_file(void *unused, const struct guard_line *line, char text[GUARD_TEXT_SIZE])
{
    int fd = open(line->path, O_RDONLY | O_CLOEXEC);

    (void)unused;
    if (fd < 0)
        return -errno;
    ssize_t length = read(fd, text, GUARD_TEXT_SIZE - 1);
    int     rc = length < 0 ? -errno : 0;
    close(fd);
    length -= length > 0 && text[length - 1] == '\n';
    text[length > 0 ? length : 0] = '\0';
    return rc;
}

/* One write() of the whole text: drivers take a value as it comes in one call. */
static int write_file(const struct guard_line *line, const char *text)
{
    size_t length = strlen(text);
    int    fd = open(line->path, O_WRONLY | O_TRUNC | O_CLOEXEC), rc = 0;

    if (fd < 0)
        return -errno;
    errno = 0;
    if (write(fd, text, length) != (ssize_t)length)
        rc = errno ? -errno : -EIO;
    if (close(fd) && !rc)
        rc = -errno;
    return rc;
}

/* ---- sockets: a prepared request and its answer ---- */

static void hang_up(void)
{
    if (remote >= 0)
        close(remote);
    remote = -1;
}

static int dial_socket(const char *path)
{
    const struct timeval patience = { .tv_sec = SOCKET_S };
    struct sockaddr_un   a = { .sun_family = AF_UNIX };

    if (remote >= 0)
        return 0;
    if (strlen(path) >= sizeof a.sun_path)
        return -ENAMETOOLONG;
    memcpy(a.sun_path, path, strlen(path) + 1);
    remote = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (remote < 0)
        return -errno;
    setsockopt(remote, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(remote, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);     /* of connect(), too */
    int rc = connect(remote, (struct sockaddr *)&a, sizeof a) ? -errno : 0;
    if (rc)
        hang_up();
    return rc;
}

static bool is_answer(const char *text, size_t length, const char *answer)
{
    return length == strlen(answer) && memcmp(text, answer, length) == 0;
}

/* Reads until the answer is one that the line knows, or cannot become one. */
static int take_answer(const struct guard_line *line)
{
    char   text[sizeof line->good + 1];
    size_t length = 0;

    while (length < sizeof line->good) {
        ssize_t more = recv(remote, text + length, sizeof line->good - length, 0);

        if (more <= 0)
            return more ? -errno : -EPIPE;
        length += (size_t)more;
        if (is_answer(text, length, line->good))
            return 0;
        if (is_answer(text, length, line->foreign))
            return -EEXIST;
    }
    return -EIO;
}

static int ask_socket(const struct guard_line *line, const char *text)
{
    size_t length = strlen(text);
    int    rc = dial_socket(line->path);

    if (rc)
        return rc;
    if (send(remote, text, length, MSG_NOSIGNAL) != (ssize_t)length)
        rc = errno ? -errno : -EIO;
    rc = rc ? rc : take_answer(line);
    if (rc && rc != -EEXIST)
        hang_up();               /* a late answer must not be taken for that of the next request */
    return rc;
}

/* A connection that has been idle may be dead, and shows it with the first request. */
static int write_socket(const struct guard_line *line, const char *text)
{
    bool was_open = remote >= 0;
    int  rc = ask_socket(line, text);

    return was_open && (rc == -EPIPE || rc == -ECONNRESET) ? ask_socket(line, text) : rc;
}

static int write_line(void *unused, const struct guard_line *line, const char *text)
{
    (void)unused;
    return line->target == GUARD_SOCKET ? write_socket(line, text) : write_file(line, text);
}

/* ---- the agent ---- */

static void answer(const struct guard_answer *a)
{
    /* lost if the agent does not read: it asks again */
    send(GUARD_FD, a, sizeof *a, MSG_DONTWAIT | MSG_NOSIGNAL);
}

#define IS_TEXT(field) (memchr(field, '\0', sizeof field) != NULL)

static bool is_line(const struct guard_line *l)
{
    return IS_TEXT(l->path) && IS_TEXT(l->attempt) && IS_TEXT(l->back) && IS_TEXT(l->good) &&
           IS_TEXT(l->foreign);
}

static bool is_frame(const struct guard_frame *f, ssize_t length)
{
    if (length < (ssize_t)guard_frame_size(0) || f->count > GUARD_LINES_MAX ||
        length != (ssize_t)guard_frame_size(f->count))
        return false;
    for (uint32_t i = 0; i < f->count; i++)
        if (!is_line(&f->line[i]))
            return false;
    return true;
}

static int obey(const struct guard_frame *f)
{
    switch (f->order) {
    case GUARD_HELLO: deadman.patience_us = f->until_us; return 0;
    case GUARD_TRY:   return deadman_try(&deadman, f->line, f->count, f->until_us);
    case GUARD_BACK:  return deadman_back(&deadman, f->line, f->count);
    case GUARD_DROP:  return deadman_drop(&deadman);
    case GUARD_KEEP:  deadman_keep(&deadman, f->sent_us, f->until_us); return 0;
    case GUARD_ASK:   return f->count == 1 && deadman_knows(&deadman, f->line);
    default:          return -EINVAL;
    }
}

/* Receives a frame. A descriptor that comes with the first one, the lock of the agent's folder, stays open
 * unused. */
static ssize_t receive(void)
{
    union { struct cmsghdr align; char bytes[CMSG_SPACE(sizeof(int))]; } control;
    struct iovec  part = { &frame, sizeof frame };
    struct msghdr m = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control,
                        .msg_controllen = sizeof control };
    ssize_t       length = recvmsg(GUARD_FD, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

    return length < 0 ? -errno : length;
}

/* Obeys all frames that have come. False: the agent has ended. */
static bool hear_agent(bool is_locked)
{
    ssize_t length;

    while ((length = receive()) > 0) {
        if (!is_frame(&frame, length))
            continue;
        int rc = obey(&frame);
        if (frame.order != GUARD_KEEP)
            answer(&(struct guard_answer){ .number = frame.number, .rc = rc, .is_locked = is_locked });
    }
    return length == -EAGAIN || length == -EINTR;
}

/* ---- the process ---- */

static void ignore_signals(void)
{
    static const int signals[] = { SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGPIPE, SIGTSTP, SIGTTIN, SIGTTOU,
                                   SIGUSR1, SIGUSR2, SIGALRM };

    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], SIG_IGN);
    setsid();                    /* what a terminal sends to a group does not come here */
}

static void set_timer(int timer)
{
    uint64_t          at_us = deadman_timer_us(&deadman);
    struct itimerspec t = { .it_value = { (time_t)(at_us / 1000000), (long)(at_us % 1000000) * 1000 + 1 } };

    if (at_us == GUARD_NEVER)
        t.it_value = (struct timespec){ 0 };     /* off */
    timerfd_settime(timer, TFD_TIMER_ABSTIME, &t, NULL);
}

static void wait_for_something(int timer, bool has_agent)
{
    struct pollfd fd[] = { { .fd = timer, .events = POLLIN },
                           { .fd = has_agent ? GUARD_FD : -1, .events = POLLIN } };

    set_timer(timer);
    poll(fd, 2, -1);
}

int main(void)
{
    const struct deadman_io io = { .now_us = now_us, .read = read_file, .write = write_line };
    bool                    has_agent = true, is_locked;
    int                     timer = timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK | TFD_CLOEXEC), type = 0;
    socklen_t               size = sizeof type;

    if (timer < 0 || getsockopt(GUARD_FD, SOL_SOCKET, SO_TYPE, &type, &size) || type != SOCK_SEQPACKET) {
        fputs("anole-guard: an agent starts this program for each device: see docs/live.md\n", stderr);
        return 1;
    }
    ignore_signals();
    come_first();
    is_locked = mlockall(MCL_CURRENT | MCL_FUTURE) == 0;
    deadman_init(&deadman, &io, 0);
    while (has_agent || deadman.count) {
        wait_for_something(timer, has_agent);
        has_agent = has_agent && hear_agent(is_locked);
        if (!has_agent)
            deadman_gone(&deadman);
        if (deadman_on_timer(&deadman))
            answer(&(struct guard_answer){ .why = deadman.why });
    }
    return 0;
}
