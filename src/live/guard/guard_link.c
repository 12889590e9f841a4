#include "live/guard/guard_link.h"
#include "base/io/clock.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define WAIT_US  500000u                 /* for an answer */
#define DEAF_US  3000000u                /* a guard that owes an answer for so long is killed */
#define RETRY_US 1000000u                /* before a guard that has ended is replaced */

extern char **environ;

/* ---- starting ---- */

static int find_program(char *path, size_t size, struct err *err)
{
    ssize_t length = readlink("/proc/self/exe", path, size - 16);
    char   *slash = NULL;

    if (length > 0) {
        path[length] = '\0';
        slash = strrchr(path, '/');
    }
    if (!slash)
        return err_set(err, ENOENT, "/proc/self/exe: the path of this program is not known");
    memcpy(slash + 1, "anole-guard", 12);
    return access(path, X_OK) ? err_set(err, errno, "%s: %s", path, strerror(errno)) : 0;
}

/* The guard has its end of the sockets as descriptor 3, and nothing else of the agent. */
static int spawn(pid_t *pid, const char *program, int end)
{
    char                      *const argv[] = { (char *)"anole-guard", NULL };
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t          attributes;
    sigset_t                   none;

    sigemptyset(&none);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, end, GUARD_FD);
    int rc = posix_spawn(pid, program, &actions, &attributes, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return -rc;
}

/* dup2() onto itself would leave the descriptor closed on exec, and 0 to 2 are opened before. */
static int move_away(int fd)
{
    int other = fd <= GUARD_FD ? fcntl(fd, F_DUPFD_CLOEXEC, GUARD_FD + 1) : fd;

    if (other != fd)
        close(fd);
    return other;
}

int guard_link_open(struct guard_link *g, struct err *err)
{
    char path[512];
    int  end[2], rc = find_program(path, sizeof path, err);

    if (rc)
        return rc;
    if (guard_link_is_stuck(g))
        return err_set(err, EBUSY, "the last guard of this device still hangs in it");
    *g = (struct guard_link){ .fd = -1, .retry_us = clock_us() + RETRY_US };
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, end))
        return err_set(err, errno, "a pair of sockets: %s", strerror(errno));
    end[1] = move_away(end[1]);
    rc = spawn(&g->pid, path, end[1]);
    close(end[1]);
    g->fd = end[0];
    if (rc) {
        close(end[0]);
        g->fd = -1;
        return err_set(err, -rc, "%s: %s", path, strerror(-rc));
    }
    return 0;
}

/* ---- ending ---- */

static void bury(struct guard_link *g)
{
    if (g->fd >= 0)
        close(g->fd);
    g->fd = -1;
    g->pending = 0;
    g->retry_us = clock_us() + RETRY_US;
    kill(g->pid, SIGKILL);       /* it may hang in the device, or be stopped: another takes its place */
}

bool guard_link_is_stuck(struct guard_link *g)
{
    if (g->fd >= 0 || g->pid <= 0)
        return false;
    for (int i = 0; i < 4; i++) {
        if (waitpid(g->pid, NULL, WNOHANG)) {
            g->pid = 0;
            return false;
        }
        usleep(5000);
    }
    return true;
}

/* The guard may have to revert at a device that hangs: it is not waited for. */
void guard_link_close(struct guard_link *g)
{
    if (g->fd < 0)
        return;
    close(g->fd);
    g->fd = -1;
    for (int i = 0; i < 50 && waitpid(g->pid, NULL, WNOHANG) == 0; i++)
        usleep(10000);
}

/* ---- frames ---- */

static int give_up(struct guard_link *g)
{
    bury(g);
    return -EPIPE;
}

static int send_frame(const struct guard_link *g, struct guard_frame *f, int shared)
{
    union { struct cmsghdr align; char bytes[CMSG_SPACE(sizeof(int))]; } control = { .bytes = { 0 } };
    struct iovec  part = { f, guard_frame_size(f->count) };
    struct msghdr m = { .msg_iov = &part, .msg_iovlen = 1 };

    if (shared >= 0) {
        control.align = (struct cmsghdr){ .cmsg_len = CMSG_LEN(sizeof shared), .cmsg_level = SOL_SOCKET,
                                          .cmsg_type = SCM_RIGHTS };
        memcpy(CMSG_DATA(&control.align), &shared, sizeof shared);
        m.msg_control = &control;
        m.msg_controllen = sizeof control;
    }
    return sendmsg(g->fd, &m, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? -errno : 0;
}

/* One answer, or news. -EAGAIN: none has come. */
static int take_answer(struct guard_link *g, struct guard_answer *a)
{
    ssize_t length = recv(g->fd, a, sizeof *a, MSG_DONTWAIT);

    if (length < 0)
        return errno == EINTR ? -EAGAIN : -errno;
    if (length != sizeof *a)
        return -EPIPE;
    if (!a->number)
        g->news = a->why;
    g->is_locked |= a->is_locked != 0;
    if (a->number == g->pending)
        g->pending = 0;
    return 0;
}

static int wait_for_answer(struct guard_link *g, uint32_t number)
{
    uint64_t            until_us = clock_us() + WAIT_US, now_us;
    struct pollfd       fd = { .fd = g->fd, .events = POLLIN };
    struct guard_answer a;

    g->pending = number;
    g->asked_us = clock_us();
    while ((now_us = clock_us()) < until_us) {
        poll(&fd, 1, (int)((until_us - now_us) / 1000) + 1);
        int rc = take_answer(g, &a);
        if (rc && rc != -EAGAIN)
            return give_up(g);
        if (!rc && a.number == number)
            return a.rc;
    }
    return -ETIMEDOUT;
}

static int ask(struct guard_link *g, struct guard_frame *f, enum guard_order order, int shared)
{
    if (!guard_link_hear(g))
        return -EPIPE;
    if (g->pending && order != GUARD_KEEP)
        return -EBUSY;
    f->order = order;
    f->number = ++g->number ? g->number : ++g->number;           /* never 0 */
    f->sent_us = clock_us();
    int rc = send_frame(g, f, shared);
    if (rc && rc != -EAGAIN)
        return give_up(g);
    return rc ? -EBUSY : order == GUARD_KEEP ? 0 : wait_for_answer(g, f->number);
}

int guard_link_ask(struct guard_link *g, struct guard_frame *f, enum guard_order order)
{
    return ask(g, f, order, -1);
}

int guard_link_greet(struct guard_link *g, int lock_fd, uint64_t patience_us)
{
    static struct guard_frame f;

    f = (struct guard_frame){ .until_us = patience_us };
    return ask(g, &f, GUARD_HELLO, lock_fd);
}

bool guard_link_hear(struct guard_link *g)
{
    struct guard_answer a;
    int                 rc = g->fd < 0 ? -EPIPE : 0;

    while (!rc)
        rc = take_answer(g, &a);
    if (rc == -EAGAIN && g->pending && clock_us() > g->asked_us + DEAF_US)
        rc = -EPIPE;
    if (rc != -EAGAIN && g->fd >= 0)
        give_up(g);
    return rc == -EAGAIN;
}

const char *guard_why_text(enum guard_why why)
{
    static const char *const text[] = {
        [GUARD_NO_WHY] = "nothing",
        [GUARD_LEASE_ENDED] = "the lease ended: the guard reverted it",
        [GUARD_AGENT_SILENT] = "the agent hung: the guard reverted it",
        [GUARD_AGENT_GONE] = "the agent ended: the guard reverted it",
        [GUARD_TOO_SLOW] = "the write took too long: the guard reverted it",
    };

    return why < sizeof text / sizeof *text ? text[why] : text[0];
}
