/* src/live/daemon/run_twin.c - see run.h: a simulated network, its agent and a controller on this machine, as processes of their
 * own that talk as they would in a real network. */
#include "base/file/outfile.h"
#include "live/daemon/clock.h"
#include "live/daemon/ctl.h"
#include "live/daemon/run.h"

#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define STATUS_US 5000000u

struct twin_run { char folder[64], scenario[4096]; pid_t child[2]; int signals; };

/* ---- files ---- */

static int write_text(const struct twin_run *t, const char *name, const char *text, struct err *err)
{
    char path[128];

    snprintf(path, sizeof path, "%s/%s", t->folder, name);
    return outfile_write(path, text, strlen(text), err);
}

static int write_configs(const struct twin_run *t, const struct twin_request *q, struct err *err)
{
    char text[8192];
    int  rc;

    snprintf(text, sizeof text, "name: twin\nlisten: unix:%s/socket\nstate: %s/controller\nmode: auto\ngather: 1s\ntuner: %s\n"
             "interval: %ums\nnoise_pairs: 10\nstage_pairs: 5\nstale: 10\n", t->folder, t->folder, q->tuner, q->interval_ms);
    rc = write_text(t, "controller.yaml", text, err);
    snprintf(text, sizeof text, "name: twin\ncontroller: unix:%s/socket\nstate: %s/agent\nroot: '%s'\ndriver: twin\nwrite: yes\n"
             "gap: 0ms\ninterval: %ums\nswitches_per_day: 100000\n", t->folder, t->folder, t->scenario, q->interval_ms);
    return rc ? rc : write_text(t, "agent.yaml", text, err);
}

/* Removes a folder that this process has made, and all that is in it. */
static void remove_all(const char *folder)
{
    DIR           *d = opendir(folder);
    struct dirent *e;
    char           path[512];
    struct stat    s;

    while (d && (e = readdir(d))) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (lstat(path, &s) == 0 && S_ISDIR(s.st_mode))
            remove_all(path);
        else
            unlink(path);
    }
    if (d)
        closedir(d);
    rmdir(folder);
}

/* ---- processes ---- */

static int start(struct twin_run *t, int i, const char *command, const char *config, struct err *err)
{
    char     path[128];
    sigset_t none;

    snprintf(path, sizeof path, "%s/%s", t->folder, config);
    t->child[i] = fork();
    if (t->child[i] < 0)
        return err_set(err, errno, "cannot start a process: %s", strerror(errno));
    if (t->child[i])
        return 0;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setpgid(0, 0);               /* Ctrl-C is for the parent, which ends them in order */
    execl("/proc/self/exe", "anole-live", command, path, (char *)NULL);
    _exit(127);
}

static void stop(pid_t child)
{
    if (child <= 0)
        return;
    kill(child, SIGTERM);
    waitpid(child, NULL, 0);
}

/* ---- while it runs ---- */

static void ask(const struct twin_run *t, const char *verb)
{
    char               address[128];
    struct ctl_request q = { .address = address, .is_short = true, .question = { .version = MSG_VERSION } };
    struct err         err;

    snprintf(address, sizeof address, "unix:%s/socket", t->folder);
    snprintf(q.question.verb, sizeof q.question.verb, "%s", verb);
    if (ctl_ask(&q, &err))
        clock_log("%s", err.text);
    fflush(stdout);
}

/* Until a signal comes, the time is up, or a child has ended; the latter is a failure. */
static int watch(struct twin_run *t, uint64_t end_us, struct err *err)
{
    struct signalfd_siginfo s;
    uint64_t                next_us = clock_us() + STATUS_US;

    while (clock_us() < end_us) {
        struct pollfd fd = { .fd = t->signals, .events = POLLIN };

        clock_wait(&fd, 1, next_us < end_us ? next_us : end_us);
        if (read(t->signals, &s, sizeof s) == sizeof s)
            return 0;
        if (waitpid(-1, NULL, WNOHANG) > 0)
            return err_set(err, ECHILD, "the twin's agent or controller has ended; see above");
        if (clock_us() < next_us)
            continue;
        next_us += STATUS_US;
        ask(t, "status");
    }
    return 0;
}

int twin_run(const struct twin_request *q, struct err *err)
{
    struct twin_run t = { .folder = "/tmp/anole-twin-XXXXXX" };
    uint64_t        end_us = q->seconds ? clock_us() + q->seconds * 1000000ull : UINT64_MAX;
    int             rc;

    if (!realpath(q->scenario, t.scenario) || strchr(t.scenario, '\''))
        return err_set(err, ENOENT, "%s: there is no such file", q->scenario);
    if (!mkdtemp(t.folder))
        return err_set(err, errno, "%s: %s", t.folder, strerror(errno));
    t.signals = clock_signals();
    rc = write_configs(&t, q, err);
    if (!rc)
        rc = start(&t, 0, "controller", "controller.yaml", err);
    if (!rc)
        rc = start(&t, 1, "agent", "agent.yaml", err);
    if (!rc)
        rc = watch(&t, end_us, err);
    if (!rc) {
        puts("What was done:");
        ask(&t, "history");
    }
    stop(t.child[1]);
    stop(t.child[0]);
    remove_all(t.folder);
    close(t.signals);
    return rc;
}
