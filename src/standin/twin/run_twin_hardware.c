#include "standin/twin/run_twin.h"
#include "base/text.h"
#include "live/core/live_clock.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEVICES_MAX 64
#define READY_US    60000000u    /* all stand-ins have so long */

struct stand_ins {
    struct hardware *hardware;
    const char      *folder;
    uint64_t         interval_us;
    pid_t            pid[DEVICES_MAX];
    uint32_t         count;
};

/* ---- requirements ---- */

void twin_hardware_beside(char path[PATH_MAX], const char *name)
{
    char folder[PATH_MAX];

    snprintf(path, PATH_MAX, "%.*s/%s", PATH_MAX - 40, text_own_folder(folder) ? folder : ".", name);
}

static bool is_in_path(const char *name)
{
    char *list = xstrdup(getenv("PATH") ? getenv("PATH") : ""), *rest = NULL, path[PATH_MAX];
    bool  is_there = false;

    for (char *p = strtok_r(list, ":", &rest); p && !is_there; p = strtok_r(NULL, ":", &rest)) {
        snprintf(path, sizeof path, "%s/%s", p, name);
        is_there = access(path, X_OK) == 0;
    }
    free(list);
    return is_there;
}

int twin_hardware_check(struct err *err)
{
    char path[PATH_MAX];

    twin_hardware_beside(path, "anole-nic");
    if (access(path, X_OK))
        return err_set(err, ENOTSUP, "this build does not include anole-nic, which needs libfuse3");
    twin_hardware_beside(path, "anole-switch");
    if (access(path, X_OK))
        return err_set(err, ENOTSUP, "this build does not include anole-switch");
    if (access("/dev/fuse", R_OK | W_OK))
        return err_set(err, ENOTSUP, "/dev/fuse: %s", strerror(errno));
    return is_in_path("redis-server") ? 0 : err_set(err, ENOTSUP, "there is no redis-server");
}

/* ---- stand-ins ---- */

static void run_stand_in(const struct hardware_device *d, const char *folder)
{
    char     path[PATH_MAX], root[512], ports[16], mbps[16], kmin[24], kmax[24], percent[16], log[560];
    sigset_t none;

    snprintf(root, sizeof root, "%s/%s", folder, d->name);
    snprintf(log, sizeof log, "%s.log", root);
    snprintf(ports, sizeof ports, "%u", d->ports);
    snprintf(mbps, sizeof mbps, "%u", d->mbps);
    snprintf(kmin, sizeof kmin, "%lu", (unsigned long)d->kmin_bytes);
    snprintf(kmax, sizeof kmax, "%lu", (unsigned long)d->kmax_bytes);
    snprintf(percent, sizeof percent, "%u", d->pmax_percent);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (!freopen(log, "a", stderr) || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        _exit(1);
    twin_hardware_beside(path, d->is_switch ? "anole-switch" : "anole-nic");
    if (d->is_switch)
        execl(path, "anole-switch", root, ports, mbps, kmin, kmax, percent, (char *)NULL);
    else
        execl(path, "anole-nic", root, "ofed", mbps, (char *)NULL);
    _exit(127);
}

static int start_one(struct stand_ins *z, const struct hardware_device *d, struct err *err)
{
    char root[512];

    snprintf(root, sizeof root, "%s/%s", z->folder, d->name);
    if (mkdir(root, 0755))
        return err_set(err, errno, "%s: %s", root, strerror(errno));
    z->pid[z->count] = fork();
    if (!z->pid[z->count])
        run_stand_in(d, z->folder);
    if (z->pid[z->count] < 0)
        return err_set(err, errno, "cannot start a process: %s", strerror(errno));
    z->count++;
    return 0;
}

static bool is_ready(const struct stand_ins *z, const struct hardware_device *d)
{
    char        path[600], text[8] = "";
    struct stat s;

    if (!d->is_switch) {
        snprintf(path, sizeof path, "%s/%s/.nic/control", z->folder, d->name);
        return stat(path, &s) == 0;
    }
    /* "ready", when CONFIG_DB is filled */
    snprintf(path, sizeof path, "%s/%s.log", z->folder, d->name);
    FILE *f = fopen(path, "r");
    if (f) {
        (void)!fgets(text, sizeof text, f);
        fclose(f);
    }
    return strcmp(text, "ready\n") == 0;
}

static int start_all(struct stand_ins *z, struct err *err)
{
    struct hardware_device d;
    uint64_t               end_us = clock_us() + READY_US;
    int                    rc = 0;

    for (uint32_t i = 0; i < DEVICES_MAX && !rc && hardware_device(z->hardware, i, &d); i++)
        rc = start_one(z, &d, err);
    for (uint32_t i = 0; i < DEVICES_MAX && !rc && hardware_device(z->hardware, i, &d); i++)
        while (!rc && !is_ready(z, &d)) {
            usleep(20000);
            if (clock_us() > end_us || waitpid(z->pid[i], NULL, WNOHANG) != 0)
                rc = err_set(err, ETIMEDOUT, "the stand-in for %s did not start; see %s/%s.log", d.name,
                             z->folder, d.name);
        }
    return rc ? rc : hardware_connect(z->hardware, err);
}

static void stop_all(struct stand_ins *z)
{
    for (uint32_t i = 0; i < z->count; i++)
        if (z->pid[i] > 0)
            kill(z->pid[i], SIGTERM);
    for (uint32_t i = 0; i < z->count; i++)
        if (z->pid[i] > 0)
            waitpid(z->pid[i], NULL, 0);
}

/* ---- the process ---- */

/* Lost time is not made up for: if the simulation is slower than real time, agents see a slower network. */
static int live(struct stand_ins *z, int signals, struct err *err)
{
    uint64_t next_us = clock_us();
    int      rc = 0;

    while (!rc) {
        struct pollfd fd = { .fd = signals, .events = POLLIN };

        clock_wait(&fd, 1, next_us);
        if (fd.revents)
            return 0;
        if (clock_us() < next_us)
            continue;
        rc = hardware_step(z->hardware, err);
        next_us += z->interval_us;
        next_us = next_us < clock_us() ? clock_us() : next_us;
    }
    return rc;
}

static _Noreturn void run_process(struct stand_ins *z, int ready)
{
    struct err err;
    int        rc, signals;

    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    signals = clock_signals();
    rc = start_all(z, &err);
    if (!rc && write(ready, "r", 1) == 1)
        rc = live(z, signals, &err);
    if (rc)
        clock_log("%s", err.text);
    stop_all(z);
    hardware_free(z->hardware);
    _exit(rc ? 1 : 0);
}

int twin_hardware_start(pid_t *pid, struct hardware *h, uint64_t interval_us, struct err *err)
{
    const char      *folder = hardware_folder(h);
    struct stand_ins z = { .hardware = h, .folder = folder, .interval_us = interval_us };
    int              ready[2], rc = 0;
    char             letter;

    if (mkdir(folder, 0755) || pipe2(ready, O_CLOEXEC)) {
        rc = err_set(err, errno, "%s: %s", folder, strerror(errno));
        hardware_free(h);
        return rc;
    }
    *pid = fork();
    if (*pid == 0) {
        close(ready[0]);
        run_process(&z, ready[1]);
    }
    close(ready[1]);
    if (*pid < 0)
        rc = err_set(err, errno, "cannot start a process: %s", strerror(errno));
    else if (read(ready[0], &letter, 1) != 1)
        rc = err_set(err, ECHILD, "the simulated devices did not start; see above");
    close(ready[0]);
    hardware_free(h);
    return rc;
}
