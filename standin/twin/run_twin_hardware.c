#include "standin/twin/run_twin.h"
#include "base/text.h"
#include "live/core/live_clock.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define READY_US    60000000u    /* all stand-ins have so long */

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
    setpgid(0, 0);               /* Ctrl-C is for the parent, which ends them in order */
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

static int start_one(pid_t *pid, const struct hardware_device *d, const char *folder, struct err *err)
{
    char root[512];

    snprintf(root, sizeof root, "%s/%s", folder, d->name);
    if (mkdir(root, 0755))
        return err_set(err, errno, "%s: %s", root, strerror(errno));
    *pid = fork();
    if (!*pid)
        run_stand_in(d, folder);
    return *pid < 0 ? err_set(err, errno, "cannot start a process: %s", strerror(errno)) : 0;
}

static bool is_ready(const struct hardware_device *d, const char *folder)
{
    char        path[600], text[8] = "";
    struct stat s;

    if (!d->is_switch) {
        snprintf(path, sizeof path, "%s/%s/.nic/control", folder, d->name);
        return stat(path, &s) == 0;
    }
    /* "ready", when CONFIG_DB is filled */
    snprintf(path, sizeof path, "%s/%s.log", folder, d->name);
    FILE *f = fopen(path, "r");
    if (f) {
        (void)!fgets(text, sizeof text, f);
        fclose(f);
    }
    return strcmp(text, "ready\n") == 0;
}

int twin_hardware_start(pid_t *pid, struct hardware *h, struct err *err)
{
    const char            *folder = hardware_folder(h);
    struct hardware_device d;
    uint64_t               end_us = clock_us() + READY_US;
    int                    rc = 0;

    if (mkdir(folder, 0755))
        return err_set(err, errno, "%s: %s", folder, strerror(errno));
    for (uint32_t i = 0; !rc && hardware_device(h, i, &d); i++)
        rc = start_one(&pid[i], &d, folder, err);
    for (uint32_t i = 0; !rc && hardware_device(h, i, &d); i++)
        while (!rc && !is_ready(&d, folder)) {
            usleep(20000);
            if (clock_us() > end_us || waitpid(pid[i], NULL, WNOHANG) != 0)
                rc = err_set(err, ETIMEDOUT, "the stand-in for %s did not start; see %s/%s.log", d.name,
                             folder, d.name);
        }
    return rc ? rc : hardware_connect(h, err);
}
