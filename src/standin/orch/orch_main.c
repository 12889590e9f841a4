/* src/standin/orch/orch_main.c - anole-switch FOLDER [PORTS [MBPS [KMIN KMAX PERCENT]]]: a stand-in switch
 * (orch.h) with its own redis-server, whose socket has SONiC's path below FOLDER. Runs until a signal
 * arrives. An agent with `driver: sonic` and `root: FOLDER` uses it as a switch. */
#include "standin/orch/orch.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define REDIS_DIR "var/run/redis"

static int make_folders(const char *folder, struct err *err)
{
    static const char *const parts[] = { "", "/var", "/var/run", "/var/run/redis", NULL };
    char                     path[512];

    for (int i = 0; parts[i]; i++) {
        snprintf(path, sizeof path, "%s%s", folder, parts[i]);
        if (mkdir(path, 0755) && errno != EEXIST)
            return err_set(err, errno, "%s: %s", path, strerror(errno));
    }
    return 0;
}

static pid_t start_redis(const char *folder)
{
    pid_t    pid = fork();
    sigset_t none;

    if (pid)
        return pid;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (chdir(folder) == 0 && freopen("redis.log", "a", stdout))
        execlp("redis-server", "redis-server", "--port", "0", "--unixsocket", REDIS_DIR "/redis.sock",
               "--save", "", "--appendonly", "no", "--databases", "16", "--notify-keyspace-events", "KA",
               (char *)NULL);
    _exit(127);
}

/* Until a signal comes, Redis is gone, or orchagent has died. */
static int serve(struct orch *o, int signals, struct err *err)
{
    struct pollfd fd[2] = { { .fd = signals, .events = POLLIN }, { .fd = orch_fd(o), .events = POLLIN } };
    int           rc = 0;

    while (!rc) {
        if (poll(fd, 2, -1) < 0 && errno != EINTR)
            return err_set(err, errno, "poll: %s", strerror(errno));
        if (fd[0].revents)
            return 0;
        if (fd[1].revents)
            rc = orch_run(o, err);
    }
    return rc;
}

static int run(const char *folder, const struct orch_first *first, struct err *err)
{
    struct orch *o = NULL;
    char         socket[512];
    sigset_t     set;
    pid_t        redis;
    int          rc = make_folders(folder, err), signals;

    if (rc)
        return rc;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signals = signalfd(-1, &set, SFD_CLOEXEC);
    redis = start_redis(folder);
    snprintf(socket, sizeof socket, "%s/" REDIS_DIR "/redis.sock", folder);
    rc = orch_open(&o, socket, first, err);
    if (!rc) {
        puts("ready");
        fflush(stdout);
        rc = serve(o, signals, err);
    }
    orch_free(o);
    kill(redis, SIGTERM);
    waitpid(redis, NULL, 0);
    close(signals);
    return rc;
}

static bool number_of(const char *text, uint64_t max, uint64_t *out)
{
    char *end;

    *out = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && !*end && *out <= max;
}

static const char usage[] =
    "Usage: anole-switch FOLDER [PORTS [MBPS [KMIN KMAX PERCENT]]]\n"
    "Acts as a SONiC switch for tests: starts redis-server below FOLDER and answers changes of queues and "
    "WRED profiles.\n"
    "An agent with 'driver: sonic' and 'root: FOLDER' takes it for one; see docs/live.md.\n"
    "\n"
    "  PORTS         1 to 512; default 4\n"
    "  MBPS          rate of each; default 100000\n"
    "  KMIN KMAX     thresholds of the profile AZURE_LOSSLESS in bytes; default 1048576 2097152\n"
    "  PERCENT       marking probability at KMAX; default 5\n"
    "\n"
    "It prints 'ready' when it is, and runs until a signal comes.\n"
    "Example: anole-switch /tmp/switch 8 400000\n";

int main(int argc, char **argv)
{
    static const uint64_t max[] = { 512, 10000000, UINT32_MAX, UINT32_MAX, 100 };
    uint64_t              number[] = { 4, 100000, 1048576, 2097152, 5 };
    bool                  is_good = argc == 2 || argc == 3 || argc == 4 || argc == 7;
    struct orch_first     first;
    struct err            err;

    if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        fputs(usage, stdout);
        return fclose(stdout) ? 1 : 0;
    }
    is_good &= argc < 2 || *argv[1] != '-';
    for (int i = 2; i < argc && is_good; i++)
        is_good = number_of(argv[i], max[i - 2], &number[i - 2]);
    if (!is_good || !number[0]) {
        fputs("anole-switch: usage: anole-switch FOLDER [PORTS [MBPS [KMIN KMAX PERCENT]]]; see anole-switch "
              "--help\n", stderr);
        return 2;
    }
    first = (struct orch_first){ (uint32_t)number[0], (uint32_t)number[1], number[2], number[3],
                                 (uint32_t)number[4] };
    if (run(argv[1], &first, &err)) {
        fprintf(stderr, "anole-switch: %s\n", err.text);
        return 1;
    }
    return 0;
}
