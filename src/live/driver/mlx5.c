/* src/live/driver/mlx5.c - ConnectX NICs, through files of the kernel.
 *
 * DCQCN's knobs are in /sys/class/net/<if>/ecn/roce_{rp,np}/ with NVIDIA's out-of-tree driver, or else in
 * /sys/kernel/debug/mlx5/<pci>/cc_params/ with the in-tree driver; names differ. They apply to a port and all
 * its flows, take effect at once, and are lost when the driver is unloaded. The out-of-tree driver passes an
 * uninitialized number to the firmware if the text is not a number. So this driver writes only digits, with a
 * single write(), and the agent reads them back. rpg_byte_reset is written unscaled: documents disagree on
 * its unit.
 *
 * Counters: /sys/class/infiniband/<dev>/ports/1/{counters,hw_counters}, and `ethtool -S` for pauses and
 * discards. Many are 32 bits wide and wrap; port_xmit_data counts units of four bytes. Flow sizes come from
 * qp_flows.h.
 *
 * If the root is not "/", <root>/ethtool/<if> stands for `ethtool -S <if>`.
 */
#include "live/driver/driver.h"
#include "base/io/clock.h"
#include "base/text.h"
#include "live/driver/ethtool.h"
#include "live/driver/qp_flows.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_SIZE 512

struct row { enum knob knob; const char *sysfs, *debugfs; };

static const struct row rows[] = {
    { KNOB_clamp_tgt_rate, "roce_rp/clamp_tgt_rate", "rp_clamp_tgt_rate" },
    { KNOB_clamp_tgt_rate_after_time_inc, "roce_rp/clamp_tgt_rate_after_time_inc", "rp_clamp_tgt_rate_ati" },
    { KNOB_rpg_time_reset, "roce_rp/rpg_time_reset", "rp_time_reset" },
    { KNOB_rpg_byte_reset, "roce_rp/rpg_byte_reset", "rp_byte_reset" },
    { KNOB_rpg_threshold, "roce_rp/rpg_threshold", "rp_threshold" },
    { KNOB_rpg_max_rate, "roce_rp/rpg_max_rate", "rp_max_rate" },
    { KNOB_rpg_ai_rate, "roce_rp/rpg_ai_rate", "rp_ai_rate" },
    { KNOB_rpg_hai_rate, "roce_rp/rpg_hai_rate", "rp_hai_rate" },
    { KNOB_rpg_gd, "roce_rp/rpg_gd", "rp_gd" },
    { KNOB_rpg_min_dec_fac, "roce_rp/rpg_min_dec_fac", "rp_min_dec_fac" },
    { KNOB_rpg_min_rate, "roce_rp/rpg_min_rate", "rp_min_rate" },
    { KNOB_rate_to_set_on_first_cnp, "roce_rp/rate_to_set_on_first_cnp", "rp_rate_to_set_on_first_cnp" },
    { KNOB_rate_reduce_monitor_period, "roce_rp/rate_reduce_monitor_period",
      "rp_rate_reduce_monitor_period" },
    { KNOB_dce_tcp_g, "roce_rp/dce_tcp_g", "rp_dce_tcp_g" },
    { KNOB_dce_tcp_rtt, "roce_rp/dce_tcp_rtt", "rp_dce_tcp_rtt" },
    { KNOB_initial_alpha_value, "roce_rp/initial_alpha_value", "rp_initial_alpha_value" },
    { KNOB_min_time_between_cnps, "roce_np/min_time_between_cnps", "np_min_time_between_cnps" },
    { KNOB_cnp_802p_prio, "roce_np/cnp_802p_prio", "np_cnp_prio" },
    { KNOB_cnp_dscp, "roce_np/cnp_dscp", "np_cnp_dscp" },
};
enum { ROWS = sizeof rows / sizeof *rows };

enum counter { TX_WORDS, CNPS, MARKED, RETRANSMITS, COUNTERS = RETRANSMITS + 4 };

static const struct { const char *path; bool is_32_bits; } counters[COUNTERS] = {
    [TX_WORDS] = { "counters/port_xmit_data", false }, [CNPS] = { "hw_counters/rp_cnp_handled", false },
    [MARKED] = { "hw_counters/np_ecn_marked_roce_packets", false },
    [RETRANSMITS] = { "hw_counters/out_of_sequence", true }, { "hw_counters/packet_seq_err", true },
    { "hw_counters/local_ack_timeout_err", true }, { "hw_counters/roce_adp_retrans", true },
};

/* at_us: when it was read; 0: never */
struct ethtool_sums { uint64_t at_us, pause_us[8], discards[8], storms; bool has_pause[8], has_storms; };

struct mlx5 {
    char     root[PATH_SIZE / 2], dev[MSG_NAME_SIZE], netdev[32];
    char     folder[PATH_SIZE];  /* of the knobs */
    char     path[ROWS][PATH_SIZE + 64];         /* "": the device does not have this knob */
    uint64_t counter[COUNTERS];
    bool     is_counted[COUNTERS];
    struct ethtool_sums ethtool;
    uint64_t sampled_us;         /* 0: never */
    struct qp_flows  *flows;
    struct msg_detail detail;    /* flow sizes alone */
};

/* ---- files ---- */

/* -EIO: not a whole number. Empty: the firmware refused; "N/A (no PMA)": there is no such counter. */
static int read_number(const char *path, uint64_t *value)
{
    char text[64] = "";
    int  rc = driver_read_text(path, text, sizeof text);

    return rc ? rc : text_to_uint(text, value, NULL) ? -EIO : 0;
}

static int write_number(const char *path, uint64_t value)
{
    char    text[24];
    int     length = snprintf(text, sizeof text, "%" PRIu64, value),
            fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC), rc = 0;

    if (fd < 0)
        return -errno;
    if (write(fd, text, (size_t)length) != length)
        rc = errno ? -errno : -EIO;
    if (close(fd) && !rc)
        rc = -errno;
    return rc;
}

/* Names from files and folders become parts of paths, so only plain ones are accepted. */
static bool is_plain_name(const char *name)
{
    return *name && *name != '.' && !strchr(name, '/') && strlen(name) < 32;
}

/* ---- opening ---- */

static int find(const struct driver *driver, const char *root, char name[][MSG_NAME_SIZE], struct err *err)
{
    char           path[PATH_SIZE];
    struct dirent *e;
    int            count = 0;

    (void)driver;
    snprintf(path, sizeof path, "%s/sys/class/infiniband", root);
    DIR *folder = opendir(path);
    if (!folder)
        return err_set(err, errno, "%s: %s; are there RDMA devices?", path, strerror(errno));
    while ((e = readdir(folder)) && count < DRIVER_DEVICES_MAX)
        if (is_plain_name(e->d_name) && strncmp(e->d_name, "mlx5", 4) == 0)
            snprintf(name[count++], MSG_NAME_SIZE, "%.31s", e->d_name);
    closedir(folder);
    return count ? count : err_set(err, ENODEV, "%s: there is no mlx5 device", path);
}

static int find_netdev(struct mlx5 *m, struct err *err)
{
    char path[PATH_SIZE], text[64];

    for (int i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s/sys/class/infiniband/%s/ports/1/gid_attrs/ndevs/%d",
                 m->root, m->dev, i);
        if (driver_read_text(path, text, sizeof text) || !is_plain_name(text))
            continue;            /* an empty slot is an error */
        snprintf(m->netdev, sizeof m->netdev, "%.31s", text);
        return 0;
    }
    return err_set(err, ENODEV, "%s: no network interface belongs to it", m->dev);
}

static bool is_folder(const char *path)
{
    struct stat s;

    return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

/* The folder of the kernel's own driver is named for the PCI address, to which the device links. */
static bool find_debugfs(struct mlx5 *m)
{
    char path[PATH_SIZE], target[PATH_SIZE] = "";

    snprintf(path, sizeof path, "%s/sys/class/infiniband/%s/device", m->root, m->dev);
    if (readlink(path, target, sizeof target - 1) < 0)
        return false;
    snprintf(m->folder, sizeof m->folder, "%s/sys/kernel/debug/mlx5/%.32s/cc_params", m->root,
             text_base_name(target));
    return is_folder(m->folder);
}

static int find_knobs(struct mlx5 *m, struct err *err)
{
    char path[PATH_SIZE];
    int  count = 0;

    snprintf(path, sizeof path, "%s/sys/class/infiniband/%s/device/physfn", m->root, m->dev);
    if (access(path, F_OK) == 0)
        return err_set(err, EPERM,
                       "%s: it is a virtual function; congestion control belongs to the physical function",
                       m->dev);
    snprintf(m->folder, sizeof m->folder, "%s/sys/class/net/%s/ecn", m->root, m->netdev);
    bool is_sysfs = is_folder(m->folder);
    if (!is_sysfs && !find_debugfs(m))
        return err_set(err, ENOENT,
                       "%s: neither /sys/class/net/%s/ecn nor cc_params in debugfs is there: not mounted, "
                       "locked down, or the firmware does not let the host decide", m->dev, m->netdev);
    for (int i = 0; i < ROWS; i++) {
        snprintf(m->path[i], sizeof m->path[i], "%s/%s", m->folder,
                 is_sysfs ? rows[i].sysfs : rows[i].debugfs);
        if (access(m->path[i], F_OK))
            m->path[i][0] = '\0';
        count += *m->path[i] != '\0';
    }
    return count ? 0 : err_set(err, ENOENT, "%s: none of DCQCN's parameters is in %s", m->dev, m->folder);
}

static int open_device(const struct driver *driver, void **state, const char *root, const char *name,
                       struct err *err)
{
    struct mlx5 *m = xcalloc(1, sizeof *m);
    char         path[PATH_SIZE];
    int          rc = 0;

    (void)driver;
    snprintf(m->root, sizeof m->root, "%s", root);
    snprintf(m->dev, sizeof m->dev, "%s", name);
    snprintf(path, sizeof path, "%s/sys/class/infiniband/%s", root, name);
    if (!is_plain_name(name) || !is_folder(path))
        rc = err_set(err, ENODEV, "%s: there is no such device in %s/sys/class/infiniband", name,
                     strcmp(root, "/") ? root : "");
    rc = rc ? rc : find_netdev(m, err);
    rc = rc ? rc : find_knobs(m, err);
    if (rc)
        free(m);
    else
        m->flows = qp_flows_new(root, name);
    *state = rc ? NULL : m;
    return rc;
}

static void close_device(void *state)
{
    struct mlx5 *m = state;

    qp_flows_free(m->flows);
    free(m);
}

/* Checks the effective user and capabilities; opens nothing. */
static int permit(void *state, struct err *err)
{
    const struct mlx5 *m = state;

    for (int i = 0; i < ROWS; i++)
        if (*m->path[i] && faccessat(AT_FDCWD, m->path[i], W_OK, AT_EACCESS))
            return err_set(err, errno,
                           "%s: %s: %s; it needs CAP_DAC_OVERRIDE, or a udev rule that gives the file to its "
                           "group", m->dev, m->path[i], strerror(errno));
    return 0;
}

/* ---- knobs ---- */

static int read_knobs(void *state, struct knob_set *set)
{
    const struct mlx5 *m = state;
    struct knob_set    read = { 0 };
    uint64_t           value;
    int                rc = 0;

    for (int i = 0; i < ROWS && !rc; i++)
        if (*m->path[i] && !(rc = read_number(m->path[i], &value)))
            knob_set_add(&read, rows[i].knob, (double)value);
    if (!rc)
        *set = read;
    return rc;
}

/* Unless all values are whole numbers that the files accept, nothing is written. */
static int check_values(const struct knob_set *set)
{
    for (int i = 0; i < KNOB_COUNT; i++) {
        double value = set->knobs.value[i];

        if (set->is_named[i] && !(value >= 0 && value <= INT32_MAX && value == floor(value)))
            return -EINVAL;
    }
    return 0;
}

static int write_knobs(void *state, const struct knob_set *set)
{
    const struct mlx5 *m = state;
    int                rc = check_values(set);

    for (int i = 0; i < ROWS && !rc; i++)
        if (set->is_named[rows[i].knob])
            rc = *m->path[i] ? write_number(m->path[i], (uint64_t)set->knobs.value[rows[i].knob]) : -ENOENT;
    return rc;
}

/* The same digits as write_knobs() writes. */
static int prepare(void *state, const struct knob_set *set, const struct knob_set *back,
                   struct guard_line *line, uint32_t *count)
{
    const struct mlx5 *m = state;
    int                rc = check_values(set);

    rc = rc ? rc : check_values(back);
    *count = 0;
    for (int i = 0; i < ROWS && !rc; i++) {
        enum knob knob = rows[i].knob;

        if (!set->is_named[knob])
            continue;
        struct guard_line *l = &line[(*count)++];
        *l = (struct guard_line){ .target = GUARD_FILE };
        rc = !*m->path[i] || !back->is_named[knob] ? -ENOENT :
             strlen(m->path[i]) >= sizeof l->path ? -ENAMETOOLONG : 0;
        snprintf(l->path, sizeof l->path, "%.*s", (int)sizeof l->path - 1, m->path[i]);
        snprintf(l->attempt, sizeof l->attempt, "%" PRIu64, (uint64_t)set->knobs.value[knob]);
        snprintf(l->back, sizeof l->back, "%" PRIu64, (uint64_t)back->knobs.value[knob]);
    }
    return rc;
}

_Static_assert(ROWS <= GUARD_LINES_MAX, "a guard holds all parameters");

/* ---- counters ---- */

static void take_stat(void *arg, const char *name, uint64_t value)
{
    struct ethtool_sums *e = arg;

    if (strcmp(name, "tx_pause_storm_error_events") == 0) {
        e->storms = value;
        e->has_storms = true;
    }
    if (strncmp(name, "rx_prio", 7) != 0 || name[7] < '0' || name[7] > '7')
        return;
    int prio = name[7] - '0';
    if (strcmp(name + 8, "_pause_duration") == 0) {
        e->pause_us[prio] = value;
        e->has_pause[prio] = true;
    } else if (strcmp(name + 8, "_discards") == 0)
        e->discards[prio] = value;
}

/* The increase of a counter. False: it decreased, so it was reset, and the increase is unknown. */
static bool difference(uint64_t was, uint64_t is, bool is_32_bits, uint64_t *d)
{
    *d = is_32_bits ? (uint32_t)(is - was) : is - was;
    return is_32_bits || is >= was;
}

static bool take_counters(struct mlx5 *m, uint64_t d[COUNTERS], bool is_known[COUNTERS])
{
    char     path[PATH_SIZE + 64];
    uint64_t value;
    bool     is_good = true;

    for (int i = 0; i < COUNTERS; i++) {
        bool was_counted = m->is_counted[i];

        d[i] = 0;
        snprintf(path, sizeof path, "%s/sys/class/infiniband/%s/ports/1/%s", m->root, m->dev,
                 counters[i].path);
        m->is_counted[i] = read_number(path, &value) == 0;
        is_known[i] = m->is_counted[i] && was_counted;
        if (is_known[i])
            is_good &= difference(m->counter[i], value, counters[i].is_32_bits, &d[i]);
        if (m->is_counted[i])
            m->counter[i] = value;
    }
    return is_good && m->is_counted[TX_WORDS];
}

/* Reports the class paused longest. Drops count in classes with PFC, which have pause counters. A counter
 * that has just appeared has no increase yet. After readings that failed, the increase is that of all the
 * time since the last good one. */
static bool take_ethtool(struct mlx5 *m, struct msg_sample *s, uint64_t now_us)
{
    struct ethtool_sums is = { 0 }, was = m->ethtool;
    uint64_t            d, paused_us = 0;
    bool                is_good, has_pause = false;

    s->paused = NAN;
    s->unknown |= MSG_UNKNOWN(lossless_drops) | MSG_UNKNOWN(watchdog);
    if (ethtool_stats(m->root, m->netdev, take_stat, &is))
        return true;
    is.at_us = now_us;
    m->ethtool = is;
    if (!was.at_us)
        return true;
    is.has_storms &= was.has_storms;
    is_good = !is.has_storms || difference(was.storms, is.storms, false, &s->watchdog);
    for (int i = 0; i < 8; i++) {
        if (!is.has_pause[i] || !was.has_pause[i])
            continue;
        is_good &= difference(was.pause_us[i], is.pause_us[i], false, &d);
        paused_us = d > paused_us ? d : paused_us;
        is_good &= difference(was.discards[i], is.discards[i], false, &d);
        s->lossless_drops += d;
        has_pause = true;
    }
    if (has_pause && now_us > was.at_us)
        s->paused = fmin(1, (double)paused_us / (double)(now_us - was.at_us));
    s->unknown &= ~((has_pause ? MSG_UNKNOWN(lossless_drops) : 0) |
                    (is.has_storms ? MSG_UNKNOWN(watchdog) : 0));
    return is_good;
}

static int sample(void *state, struct msg_sample *s)
{
    struct mlx5 *m = state;
    uint64_t     d[COUNTERS], at_us = clock_us(), mbps = 0;
    char         path[PATH_SIZE + 64];
    bool         is_first = !m->sampled_us, is_good, has_flows, is_known[COUNTERS], is_any = false;

    *s = (struct msg_sample){ .interval_us = is_first ? 0 : at_us - m->sampled_us };
    m->sampled_us = at_us;
    is_good = take_counters(m, d, is_known);
    is_good &= take_ethtool(m, s, at_us);
    has_flows = qp_flows_read(m->flows, &m->detail.fsd);
    if (is_first || !is_good)
        return -EAGAIN;
    snprintf(path, sizeof path, "%s/sys/class/net/%s/speed", m->root, m->netdev);
    if (read_number(path, &mbps) == 0)
        s->rate_bps = mbps * 1000000;
    s->tx_bytes = d[TX_WORDS] * 4;
    s->cnps = d[CNPS];
    s->marked_packets = d[MARKED];
    for (int i = RETRANSMITS; i < COUNTERS; i++) {
        s->retransmissions += d[i];
        is_any |= is_known[i];
    }
    s->unknown |= (is_known[CNPS] ? 0 : MSG_UNKNOWN(cnps)) |
                  (is_known[MARKED] ? 0 : MSG_UNKNOWN(marked_packets)) |
                  (is_any ? 0 : MSG_UNKNOWN(retransmissions));
    s->metric = msg_metric(s);
    s->detail = has_flows ? &m->detail : NULL;
    return 0;
}

const struct driver driver_mlx5 = {
    .find = find, .open = open_device, .close = close_device, .permit = permit, .read = read_knobs,
    .write = write_knobs, .prepare = prepare, .sample = sample, .name = "mlx5",
    .about = "ConnectX NICs: files of the kernel", .where = KNOB_NIC,
};
