/* src/live/daemon/rescue_test.c - a NIC made of files gets its setting back, whatever a kill or damage left
 * on the disk. The setting is read from the NIC's files.
 *
 * An agent makes a change in a process that is killed at its n-th write(), fsync(), rename() and so on, for
 * every n (meson.build wraps these calls), before the call or in the middle of it. */
#include "live/agent/agent.h"
#include "live/core/live_clock.h"
#include "live/daemon/disk.h"
#include "live/daemon/run.h"
#include "live/driver/driver.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define KILLED 99

static char root[64], state[96];

/* ---- calls that kill ---- */

static long lives = -1;          /* calls until the process is killed; below 0: never */
static bool is_torn;             /* a write that kills writes only half */

ssize_t __real_write(int, const void *, size_t);
int     __real_rename(const char *, const char *);
int     __real_ftruncate(int, off_t);
int     __real_close(int);
ssize_t __wrap_write(int, const void *, size_t);
int     __wrap_fsync(int);
int     __wrap_fdatasync(int);
int     __wrap_rename(const char *, const char *);
int     __wrap_ftruncate(int, off_t);
int     __wrap_close(int);

/* A device applies a write as a whole or not at all. In this tree, unlike in a device, the file is empty
 * before the write, so the kill comes after it. */
static bool is_device(int fd)
{
    char    path[64], target[256];
    ssize_t length;

    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    length = readlink(path, target, sizeof target);
    return length > 0 && memmem(target, (size_t)length, "/sys/class/net/", 15);
}

static void live(void)
{
    if (lives >= 0 && lives-- == 0)
        _exit(KILLED);
}

ssize_t __wrap_write(int fd, const void *bytes, size_t length)
{
    if (lives == 0 && (is_torn || is_device(fd)))
        __real_write(fd, bytes, is_device(fd) ? length : length / 2);
    live();
    return __real_write(fd, bytes, length);
}

int __wrap_fsync(int fd)
{
    (void)fd;
    live();
    return 0;                    /* the machine stays up */
}

int __wrap_fdatasync(int fd)
{
    (void)fd;
    live();
    return 0;                    /* the machine stays up */
}

int __wrap_rename(const char *from, const char *to)
{
    live();
    return __real_rename(from, to);
}

int __wrap_ftruncate(int fd, off_t length)
{
    live();
    return __real_ftruncate(fd, length);
}

int __wrap_close(int fd)
{
    live();
    return __real_close(fd);
}

/* ---- a NIC ---- */

static void shell(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void shell(const char *format, ...)
{
    char    command[1024] = "";
    int     used = snprintf(command, sizeof command, "cd '%s' && ", root);
    va_list args;

    va_start(args, format);
    vsnprintf(command + used, sizeof command - (size_t)used, format, args);
    va_end(args);
    assert_int_equal(system(command), 0);
}

static int set_up(void **unused)
{
    (void)unused;
    snprintf(root, sizeof root, "%s/anole-rescue-XXXXXX", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
    assert_non_null(mkdtemp(root));
    snprintf(state, sizeof state, "%s/state", root);
    shell("mkdir -p sys/class/infiniband/mlx5_0/ports/1/counters "
          "sys/class/infiniband/mlx5_0/ports/1/hw_counters "
          "sys/class/infiniband/mlx5_0/ports/1/gid_attrs/ndevs sys/class/net/eth7/ecn/roce_rp "
          "sys/class/net/eth7/ecn/roce_np sys/devices/0000:1a:00.0 && ln -s ../../../devices/0000:1a:00.0 "
          "sys/class/infiniband/mlx5_0/device && echo eth7 "
          ">sys/class/infiniband/mlx5_0/ports/1/gid_attrs/ndevs/0 && echo 100000 >sys/class/net/eth7/speed "
          "&& echo 5 >sys/class/net/eth7/ecn/roce_rp/rpg_ai_rate && echo 50 "
          ">sys/class/net/eth7/ecn/roce_rp/rpg_hai_rate");
    return 0;
}

static int tear_down(void **unused)
{
    (void)unused;
    shell("rm -rf '%s'", root);
    return 0;
}

static void set_nic(const char *knob, int value)
{
    char  path[200];
    FILE *f;

    snprintf(path, sizeof path, "%s/sys/class/net/eth7/ecn/roce_rp/%s", root, knob);
    f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "%d\n", value);
    fclose(f);
}

static int nic(const char *knob)
{
    char  path[200];
    int   value = -1;
    FILE *f;

    snprintf(path, sizeof path, "%s/sys/class/net/eth7/ecn/roce_rp/%s", root, knob);
    f = fopen(path, "r");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%d", &value), 1);
    fclose(f);
    return value;
}

/* ---- an agent ---- */

static void ignore(void *arg, const struct msg *m)
{
    (void)arg, (void)m;
}

static void say(struct agent *a, struct msg m)
{
    uint64_t now_us = clock_us();

    m.incarnation = a->incarnation;
    m.term = 1;
    agent_on_msg(a, &(struct msg){ .kind = MSG_LEASE, .term = 1, .incarnation = a->incarnation,
                                   .stamp_us = now_us }, now_us);
    agent_on_msg(a, &m, now_us);
}

/* Runs 'act' in a process of its own. Returns true if it was killed. */
static bool run(void (*act)(struct agent *), long calls)
{
    int   status;
    pid_t pid = fork();

    if (pid == 0) {
        struct agent_config cfg;
        struct agent        a;
        struct disk         disk;
        struct audit        audit;
        struct err          err;
        void               *device;
        char                folder[128];
        struct agent_io     io = { .send = ignore };

        lives = calls;
        agent_config_init(&cfg, KNOB_NIC);
        cfg.may_write = true;
        cfg.gap_us = 0;
        snprintf(cfg.name, sizeof cfg.name, "host/mlx5_0");
        snprintf(folder, sizeof folder, "%s/mlx5_0", state);
        if (disk_open(&disk, folder, &audit, &err) ||
            driver_mlx5.open(&driver_mlx5, &device, root, "mlx5_0", &err))
            _exit(1);
        io.disk = disk_io(&disk);
        io.device = (struct io_device){ driver_mlx5.read, driver_mlx5.write, driver_mlx5.sample, device };
        agent_init(&a, &cfg, &io, clock_us());
        agent_start(&a, &audit, clock_us());
        act(&a);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == KILLED));
    return WEXITSTATUS(status) == KILLED;
}

static void prepare_two(struct agent *a, uint64_t change, double ai_rate, double hai_rate)
{
    struct msg m = { .kind = MSG_PREPARE, .change = change };

    knob_set_add(&m.set, KNOB_rpg_ai_rate, ai_rate);
    knob_set_add(&m.set, KNOB_rpg_hai_rate, hai_rate);
    say(a, m);
    say(a, (struct msg){ .kind = MSG_COMMIT, .change = change });
}

static void apply(struct agent *a)
{
    prepare_two(a, 1, 8, 80);
}

static void apply_and_revert(struct agent *a)
{
    prepare_two(a, 1, 8, 80);
    say(a, (struct msg){ .kind = MSG_REVERT, .change = 1 });
}

static void confirm(struct agent *a)
{
    prepare_two(a, 1, 8, 80);
    say(a, (struct msg){ .kind = MSG_CONFIRM, .change = 1 });
}

static int rescue(struct err *err)
{
    struct agent_file f = { .driver = &driver_mlx5, .root = root, .devices = 1, .device = { "mlx5_0" } };

    f.common.state = state;
    f.common.name = (char []){ "host" };
    agent_config_init(&f.agent, KNOB_NIC);
    f.agent.may_write = true;
    return agent_rescue(&f, false, err);
}

static void start_over(void)
{
    shell("rm -rf state");
    set_nic("rpg_ai_rate", 5);
    set_nic("rpg_hai_rate", 50);
}

/* ---- kills ---- */

static void kill_everywhere(void (*act)(struct agent *), bool may_stay)
{
    struct err err;
    long       kills = 0;

    for (int torn = 0; torn < 2; torn++)
        for (long n = 0;; n++) {
            bool was_killed, is_first, is_new;

            start_over();
            is_torn = torn;
            was_killed = run(act, n);
            /* killed before it had read the device */
            if (rescue(&err) && !strstr(err.text, "neither state nor audit log"))
                fail_msg("killed at call %ld: %s", n, err.text);
            is_first = nic("rpg_ai_rate") == 5 && nic("rpg_hai_rate") == 50;
            is_new = nic("rpg_ai_rate") == 8 && nic("rpg_hai_rate") == 80;
            if (!is_first && !(may_stay && is_new))
                fail_msg("killed at call %ld: rpg_ai_rate is %d, rpg_hai_rate %d", n, nic("rpg_ai_rate"),
                         nic("rpg_hai_rate"));
            if (!was_killed)
                break;
            kills++;
        }
    print_message("# %ld kills\n", kills);
    assert_true(kills > 40);
}

static void rescue__after_a_kill_at_any_call_of_a_trial(void **unused)
{
    (void)unused;
    kill_everywhere(apply, false);
    kill_everywhere(apply_and_revert, false);
    kill_everywhere(confirm, true);
}

static void confirm__survives_a_kill_once_it_is_done(void **unused)
{
    struct err err;

    (void)unused;
    assert_false(run(confirm, -1));
    assert_int_equal(rescue(&err), 0);
    assert_int_equal(nic("rpg_ai_rate"), 8);
}

/* ---- damage ---- */

static void rescue__after_damage_reads_the_device_back(void **unused)
{
    static const struct { const char *damage; bool is_back; } row[] = {
        { "truncate -s 100 state", true },
        { "truncate -s 0 state", true },
        { "rm state", true },
        { "rm state state.copy", true },
        { "rm state state.copy baseline", true },
        { "truncate -s 0 state state.copy", true },
        { "printf XXXX | dd of=state bs=1 seek=30 conv=notrunc status=none; cp state state.copy", true },
        { "rm state state.copy audit.jsonl", true },
        { "rm audit.jsonl", true },
        { "printf XXXX | dd of=audit.jsonl bs=1 seek=30 conv=notrunc status=none", true },
        { "truncate -s -20 audit.jsonl", true },
        { "truncate -s +3G audit.jsonl", true },
        { "rm audit.jsonl; mkdir audit.jsonl", true },
        { "for f in state state.copy baseline audit.jsonl; do echo garbage >$f; done", false },
        { "rm state state.copy baseline audit.jsonl", false },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct err err = { "" };
        int        rc;

        start_over();
        assert_false(run(apply, -1));
        assert_int_equal(nic("rpg_ai_rate"), 8);
        shell("cd state/mlx5_0 && %s", row[i].damage);
        rc = rescue(&err);
        if (row[i].is_back && (rc || nic("rpg_ai_rate") != 5 || nic("rpg_hai_rate") != 50))
            fail_msg("%s: it holds %d: %s", row[i].damage, nic("rpg_ai_rate"), err.text);
        if (!row[i].is_back &&
            (!rc || !strstr(err.text, "host/mlx5_0") || !strstr(err.text, "rpg_ai_rate 8")))
            fail_msg("%s: %s", row[i].damage, err.text);
    }
}

static void rescue__keeps_knobs_that_the_trial_did_not_set(void **unused)
{
    struct err err;

    (void)unused;
    set_nic("rpg_hai_rate", 77);
    assert_false(run(apply_and_revert, -1));
    shell("rm state/mlx5_0/state state/mlx5_0/state.copy");
    assert_int_equal(rescue(&err), 0);
    assert_int_equal(nic("rpg_hai_rate"), 77);
}

static void forget__the_term_goes_and_the_baseline_stays(void **unused)
{
    struct agent_file f = { .driver = &driver_mlx5, .root = root, .devices = 1, .device = { "mlx5_0" } };
    struct disk       disk;
    struct audit      audit;
    struct err        err;
    struct saved      saved;
    struct io_disk    io;
    char              folder[128];

    (void)unused;
    f.common.state = state;
    f.common.name = (char []){ "host" };
    agent_config_init(&f.agent, KNOB_NIC);
    assert_false(run(apply, -1));
    assert_int_equal(agent_rescue(&f, true, &err), 0);
    assert_int_equal(nic("rpg_ai_rate"), 5);
    snprintf(folder, sizeof folder, "%s/mlx5_0", state);
    assert_int_equal(disk_open(&disk, folder, &audit, &err), 0);
    io = disk_io(&disk);
    assert_int_equal(saved_read(&saved, &io), SAVED_WHOLE);
    assert_true(saved.term == 0 && saved.has_baseline && saved.baseline.knobs.value[KNOB_rpg_ai_rate] == 5);
    disk_close(&disk);
}

/* ---- the log ---- */

static void write_line(struct disk *d, struct audit *a)
{
    struct io_disk io = disk_io(d);

    assert_int_equal(audit_write(a, &io, &(struct audit_record){ .who = "nic", .what = "test",
                                                                 .why = "to fill it" }), 0);
}

static void append__a_long_log_is_split_and_its_chain_continues(void **unused)
{
    struct disk  d;
    struct audit a, checked;
    struct err   err;
    uint64_t     records;
    char         path[128];

    (void)unused;
    for (int life = 0; life < 2; life++) {
        assert_int_equal(disk_open(&d, state, &a, &err), 0);
        assert_int_equal(a.seq, life * 100);
        d.log_bytes_max = 4000;
        for (int i = 0; i < 100; i++)
            write_line(&d, &a);
        disk_close(&d);
    }
    snprintf(path, sizeof path, "%s/audit.jsonl", state);
    assert_int_equal(disk_verify(path, &checked, &records, &err), 0);
    assert_int_equal(records, 200);
    assert_string_equal(checked.head, a.head);
    assert_true(d.logs > 5);
    shell("sed -i 3d state/audit.2.jsonl");                  /* one line less in the middle */
    assert_true(disk_verify(path, &checked, &records, &err) < 0);
    assert_non_null(strstr(err.text, "audit.2.jsonl:3:1: "));
    shell("rm state/audit.2.jsonl");                         /* one file less */
    assert_true(disk_verify(path, &checked, &records, &err) < 0);
    shell("rm state/audit.1.jsonl");                         /* the oldest file may be missing */
    assert_int_equal(disk_verify(path, &checked, &records, &err), 0);
    assert_true(records < 200 && checked.seq == 200);
}

static void mend__a_damaged_log_is_set_aside_and_another_begins(void **unused)
{
    struct disk  d;
    struct audit a, checked;
    struct err   err;
    uint64_t     records;
    char         path[128];

    (void)unused;
    assert_int_equal(disk_open(&d, state, &a, &err), 0);
    for (int i = 0; i < 10; i++)
        write_line(&d, &a);
    disk_close(&d);
    shell("sed -i 4s/fill/till/ state/audit.jsonl");
    assert_int_equal(disk_open(&d, state, &a, &err), 0);
    assert_true(disk_mend_log(&d, &a, &err));
    assert_non_null(strstr(err.text, "audit.jsonl:4:1: "));
    write_line(&d, &a);
    assert_false(disk_mend_log(&d, &a, &err));
    disk_close(&d);
    snprintf(path, sizeof path, "%s/audit.jsonl", state);
    assert_int_equal(disk_verify(path, &checked, &records, &err), 0);
    assert_true(records == 1 && checked.seq == 11);          /* numbers continue after the old log */
    snprintf(path, sizeof path, "%s/audit.jsonl.damaged", state);
    assert_int_equal(access(path, F_OK), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(rescue__after_a_kill_at_any_call_of_a_trial, set_up, tear_down),
        cmocka_unit_test_setup_teardown(confirm__survives_a_kill_once_it_is_done, set_up, tear_down),
        cmocka_unit_test_setup_teardown(rescue__after_damage_reads_the_device_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(rescue__keeps_knobs_that_the_trial_did_not_set,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(forget__the_term_goes_and_the_baseline_stays, set_up, tear_down),
        cmocka_unit_test_setup_teardown(append__a_long_log_is_split_and_its_chain_continues,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(mend__a_damaged_log_is_set_aside_and_another_begins,
                                        set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
