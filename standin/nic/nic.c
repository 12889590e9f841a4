#include "standin/nic/nic.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEV      "/sys/class/infiniband/mlx5_0"
#define PCI      "0000:1a:00.0"
#define NET      "/sys/class/net/ens1f0np0"
#define DEBUG    "/sys/kernel/debug/mlx5/" PCI "/cc_params"
#define SPEED    400000u         /* Mb/s of the fastest ports */
/* hw_counters are read from the device again when they are older than this */
#define CACHE_US 10000u

const char *const nic_flavours[] = { "ofed", "inbox", "vf", "locked", NULL };

/* Names, factory values, and the range of the firmware, which clamps other values silently. */
static const struct { const char *sysfs, *debugfs; int64_t initial, min, max; } parameters[NIC_PARAMETERS] = {
    { "roce_rp/clamp_tgt_rate", "rp_clamp_tgt_rate", 0, 0, 1 },
    { "roce_rp/clamp_tgt_rate_after_time_inc", "rp_clamp_tgt_rate_ati", 1, 0, 1 },
    { "roce_rp/rpg_time_reset", "rp_time_reset", 300, 0, 131071 },
    { "roce_rp/rpg_byte_reset", "rp_byte_reset", 32767, 0, 32767 },
    { "roce_rp/rpg_threshold", "rp_threshold", 1, 0, 31 },
    { "roce_rp/rpg_max_rate", "rp_max_rate", 0, 0, INT32_MAX },
    { "roce_rp/rpg_ai_rate", "rp_ai_rate", 5, 0, 131071 },
    { "roce_rp/rpg_hai_rate", "rp_hai_rate", 50, 0, 131071 },
    { "roce_rp/rpg_gd", "rp_gd", 11, 10, 11 },
    { "roce_rp/rpg_min_dec_fac", "rp_min_dec_fac", 50, 1, 100 },
    { "roce_rp/rpg_min_rate", "rp_min_rate", 1, 1, SPEED },
    { "roce_rp/rate_to_set_on_first_cnp", "rp_rate_to_set_on_first_cnp", 0, 0, SPEED },
    { "roce_rp/rate_reduce_monitor_period", "rp_rate_reduce_monitor_period", 4, 1, 131071 },
    { "roce_rp/dce_tcp_g", "rp_dce_tcp_g", 1019, 1, 1023 },
    { "roce_rp/dce_tcp_rtt", "rp_dce_tcp_rtt", 1, 1, 131071 },
    { "roce_rp/initial_alpha_value", "rp_initial_alpha_value", 1023, 1, 1023 },
    { "roce_np/min_time_between_cnps", "np_min_time_between_cnps", 4, 0, 131071 },
    { "roce_np/cnp_802p_prio", "np_cnp_prio", 6, 0, 7 },
    { "roce_np/cnp_dscp", "np_cnp_dscp", 48, 0, 63 },
};

static const struct { const char *name; bool is_32_bits; } hw_counters[NIC_HW_COUNTERS] = {
    { "rp_cnp_handled", false }, { "rp_cnp_ignored", false }, { "np_ecn_marked_roce_packets", false },
    { "np_cnp_sent", false }, { "out_of_sequence", true }, { "packet_seq_err", true },
    { "local_ack_timeout_err", true }, { "roce_adp_retrans", true },
};

/* ---- the tree ---- */

static void add(struct nic *n, enum nic_kind kind, uint32_t index, unsigned mode, const char *text,
                const char *format, ...)
    __attribute__((format(printf, 6, 7)));
static void add(struct nic *n, enum nic_kind kind, uint32_t index, unsigned mode, const char *text,
                const char *format, ...)
{
    struct nic_node *f = &n->node[n->nodes++];
    va_list          args;

    *f = (struct nic_node){ .kind = kind, .index = index, .mode = mode };
    snprintf(f->text, sizeof f->text, "%s", text);
    va_start(args, format);
    vsnprintf(f->path, sizeof f->path, format, args);
    va_end(args);
}

static void add_folders(struct nic *n, const char *const *path)
{
    for (; *path; path++)
        add(n, NIC_FOLDER, 0, 0755, "", "%s", *path);
}

static void add_device(struct nic *n)
{
    static const char *const folders[] = {
        "/", "/sys", "/sys/class", "/sys/class/infiniband", DEV, DEV "/ports", DEV "/ports/1",
        DEV "/ports/1/counters", DEV "/ports/1/hw_counters", DEV "/ports/1/gid_attrs",
        DEV "/ports/1/gid_attrs/ndevs", "/sys/class/net", NET, "/sys/devices", "/sys/devices/" PCI,
        "/ethtool", "/.nic", NULL,
    };
    char text[64];

    add_folders(n, folders);
    add(n, NIC_LINK, 0, 0777, "../../../devices/" PCI, DEV "/device");
    add(n, NIC_FIXED, 0, 0444, "4: ACTIVE\n", DEV "/ports/1/state");
    snprintf(text, sizeof text, "%g Gb/sec (4X NDR)\n", (double)n->mbps / 1000);
    add(n, NIC_FIXED, 0, 0444, text, DEV "/ports/1/rate");
    add(n, NIC_FIXED, 0, 0444, "Ethernet\n", DEV "/ports/1/link_layer");
    for (uint32_t i = 0; i < 4; i++)             /* an empty slot cannot be read: EINVAL */
        add(n, NIC_FIXED, 0, 0444, i ? "" : "ens1f0np0\n", DEV "/ports/1/gid_attrs/ndevs/%u", i);
    add(n, NIC_COUNTER, 0, 0444, "", DEV "/ports/1/counters/port_xmit_data");
    add(n, NIC_COUNTER, 1, 0444, "", DEV "/ports/1/counters/port_rcv_data");
    for (uint32_t i = 0; i < NIC_HW_COUNTERS; i++)
        add(n, NIC_HW_COUNTER, i, 0444, "", DEV "/ports/1/hw_counters/%s", hw_counters[i].name);
    snprintf(text, sizeof text, "%u\n", n->mbps);
    add(n, NIC_FIXED, 0, 0444, text, NET "/speed");
    add(n, NIC_FIXED, 0, 0444, "up\n", NET "/operstate");
    add(n, NIC_ETHTOOL, 0, 0444, "", "/ethtool/ens1f0np0");
    add(n, NIC_CONTROL, 0, 0644, "", "/.nic/control");
    add(n, NIC_LOG, 0, 0444, "", "/.nic/log");
}

static void add_sysfs(struct nic *n)
{
    static const char *const folders[] = { NET "/ecn", NET "/ecn/roce_rp", NET "/ecn/roce_np",
                                           NET "/ecn/roce_rp/enable", NET "/ecn/roce_np/enable", NULL };

    add_folders(n, folders);
    for (uint32_t i = 0; i < NIC_PARAMETERS; i++)
        add(n, NIC_PARAMETER, i, 0644, "", NET "/ecn/%s", parameters[i].sysfs);
    for (uint32_t i = 0; i < 16; i++)
        add(n, NIC_ENABLE, i, 0644, "", NET "/ecn/roce_%s/enable/%u", i < 8 ? "rp" : "np", i % 8);
}

static void add_debugfs(struct nic *n)
{
    static const char *const folders[] = { "/sys/kernel", "/sys/kernel/debug", "/sys/kernel/debug/mlx5",
                                           "/sys/kernel/debug/mlx5/" PCI, DEBUG, NULL };

    add_folders(n, folders);
    for (uint32_t i = 0; i < NIC_PARAMETERS; i++)
        add(n, NIC_PARAMETER, i, 0600, "", DEBUG "/%s", parameters[i].debugfs);
}

static void load_driver(struct nic *n)
{
    for (uint32_t i = 0; i < NIC_PARAMETERS; i++)
        n->value[i] = parameters[i].initial;
    for (int i = 0; i < 16; i++)
        n->enabled[i / 8][i % 8] = true;
}

void nic_init(struct nic *n, enum nic_flavour flavour, uint32_t mbps, uint64_t now_us)
{
    memset(n, 0, sizeof *n);
    n->flavour = flavour;
    n->mbps = mbps;
    n->begun_us = now_us;
    n->junk = 0x5eed;
    n->has_pfc = true;
    load_driver(n);
    add_device(n);
    if (flavour == NIC_OFED)
        add_sysfs(n);
    if (flavour == NIC_INBOX || flavour == NIC_LOCKED)
        add_debugfs(n);
    if (flavour == NIC_VF)
        add(n, NIC_FOLDER, 0, 0755, "", "/sys/devices/0000:1a:00.1");
    if (flavour == NIC_VF)
        add(n, NIC_LINK, 0, 0777, "../0000:1a:00.1", "/sys/devices/" PCI "/physfn");
}

/* The folders of the driver are missing while it is being reloaded. */
static bool is_there(const struct nic *n, const struct nic_node *f)
{
    return !n->is_gone || strncmp(f->path, NET "/ecn", strlen(NET "/ecn")) != 0;
}

const struct nic_node *nic_find(const struct nic *n, const char *path)
{
    for (uint32_t i = 0; i < n->nodes; i++)
        if (strcmp(n->node[i].path, path) == 0)
            return is_there(n, &n->node[i]) ? &n->node[i] : NULL;
    return NULL;
}

/* ---- reading ---- */

static uint64_t sent(const struct nic *n, uint64_t now_us)
{
    uint64_t passed_us = now_us - n->begun_us;
    uint64_t fed = passed_us < n->feed_us ?
                   (uint64_t)((double)n->feed_bytes * (double)passed_us / (double)n->feed_us) : n->feed_bytes;

    return n->bytes + fed + (uint64_t)((double)n->rate_bytes_s * (double)passed_us / 1e6);
}

/* All that is read within the life of the cache is one snapshot. */
static uint64_t hw_counter(struct nic *n, uint32_t i, uint64_t now_us)
{
    if (now_us - n->shown_us >= CACHE_US || !n->shown_us) {
        memcpy(n->shown, n->hw, sizeof n->shown);
        n->shown_us = now_us;
    }
    return hw_counters[i].is_32_bits ? (uint32_t)n->shown[i] : n->shown[i];
}

static long print_ethtool(const struct nic *n, char *text)
{
    int length = snprintf(text, NIC_TEXT_SIZE,
                          "NIC statistics:\n     rx_prio3_bytes: 0\n     rx_prio3_discards: %" PRIu64 "\n",
                          n->discards);

    if (n->has_pfc)              /* they are there only while PFC is on */
        length += snprintf(text + length, NIC_TEXT_SIZE - (size_t)length,
                           "     rx_prio3_pause: 0\n     rx_prio3_pause_duration: %" PRIu64
                           "\n", n->pause_us);
    length += snprintf(text + length, NIC_TEXT_SIZE - (size_t)length,
                       "     tx_pause_storm_error_events: %" PRIu64 "\n", n->storms);
    return length;
}

static long read_parameter(const struct nic *n, const struct nic_node *f, char *text)
{
    if (n->flavour == NIC_LOCKED)
        return -EPERM;           /* of a file that could be written, even reading is refused */
    if (n->fail_read)
        return f->kind == NIC_ENABLE ? 0 : -n->fail_read;        /* enable/N is an empty file then */
    if (f->kind == NIC_ENABLE)
        return snprintf(text, NIC_TEXT_SIZE, "%d\n", n->enabled[f->index / 8][f->index % 8]);
    return snprintf(text, NIC_TEXT_SIZE, "%" PRId64 "\n", n->value[f->index]);
}

long nic_read(struct nic *n, const struct nic_node *f, char *text, uint64_t now_us)
{
    switch (f->kind) {
    case NIC_FIXED:      return *f->text ? snprintf(text, NIC_TEXT_SIZE, "%s", f->text) : -EINVAL;
    case NIC_PARAMETER:
    case NIC_ENABLE:     return is_there(n, f) ? read_parameter(n, f, text) : -ENODEV;
    case NIC_COUNTER:
        return snprintf(text, NIC_TEXT_SIZE, "%" PRIu64 "\n", f->index ? 0 : sent(n, now_us) / 4);
    case NIC_HW_COUNTER:
        return snprintf(text, NIC_TEXT_SIZE, "%" PRIu64 "\n", hw_counter(n, f->index, now_us));
    case NIC_ETHTOOL:    return print_ethtool(n, text);
    case NIC_LOG:        memcpy(text, n->log, n->log_length); return (long)n->log_length;
    default:             return -EISDIR;
    }
}

/* ---- writing ---- */

/* Bytes that are not printable are shown as '?': the log is for tests. */
static void log_write(struct nic *n, const struct nic_node *f, const char *text, size_t length)
{
    size_t room = sizeof n->log - n->log_length, need = strlen(f->path) + length + 3;

    if (need > room)
        return;
    n->log_length += (size_t)snprintf(n->log + n->log_length, room, "%s ", f->path);
    for (size_t i = 0; i < length; i++)
        n->log[n->log_length++] = (char)(text[i] > ' ' && text[i] <= '~' ? text[i] : '?');
    n->log[n->log_length++] = '\n';
}

static int64_t clamp(int64_t value, uint32_t i)
{
    return value < parameters[i].min ? parameters[i].min :
           value > parameters[i].max ? parameters[i].max : value;
}

/* NVIDIA's driver does not check whether parsing succeeded: uninitialized memory goes to the firmware. */
static int64_t any_number(struct nic *n)
{
    n->junk = n->junk * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)(n->junk >> 33);
}

static int write_parameter(struct nic *n, const struct nic_node *f, const char *text)
{
    bool        is_ofed = n->flavour == NIC_OFED;
    char       *end;

    errno = 0;
    long long value = strtoll(text, &end, is_ofed ? 10 : 0);
    if (*end == '\n')
        end++;
    if (end == text || *end || errno || value > (is_ofed ? INT32_MAX : (long long)UINT32_MAX) ||
        (!is_ofed && value < 0)) {
        if (!is_ofed || f->kind == NIC_ENABLE)
            return -EINVAL;
        value = any_number(n);
    }
    if (f->kind == NIC_ENABLE)
        n->enabled[f->index / 8][f->index % 8] = value & 1;
    else
        n->value[f->index] = clamp(value, f->index);
    return 0;
}

/* ---- control ---- */

static int set_by_name(struct nic *n, const char *name, int64_t value)
{
    for (uint32_t i = 0; i < NIC_PARAMETERS; i++)
        if (strcmp(strchr(parameters[i].sysfs, '/') + 1, name) == 0) {
            n->value[i] = clamp(value, i);
            return 0;
        }
    return -EINVAL;
}

static int add_by_name(struct nic *n, const char *name, int64_t more)
{
    for (uint32_t i = 0; i < NIC_HW_COUNTERS; i++)
        if (strcmp(hw_counters[i].name, name) == 0) {
            n->hw[i] += (uint64_t)more;
            return 0;
        }
    return -EINVAL;
}

/* Changes the traffic. Bytes fed but not yet shown are counted now, so none are lost. */
static void begin(struct nic *n, uint64_t rate_bytes_s, uint64_t feed_bytes, uint64_t feed_us,
                  uint64_t now_us)
{
    uint64_t fed = n->bytes + n->feed_bytes, is = sent(n, now_us);

    n->bytes = is > fed ? is : fed;
    n->begun_us = now_us;
    n->rate_bytes_s = rate_bytes_s;
    n->feed_bytes = feed_bytes;
    n->feed_us = feed_us;
}

/* "VERB NUMBER": adds to a count, or sets a switch. */
static int control_number(struct nic *n, const char *verb, int64_t value, uint64_t now_us)
{
    const struct { const char *verb; uint64_t *count; bool *is_on; } all[] = {
        { "pause", &n->pause_us, NULL }, { "discard", &n->discards, NULL }, { "storm", &n->storms, NULL },
        { "pfc", NULL, &n->has_pfc }, { "gone", NULL, &n->is_gone },
    };

    if (strcmp(verb, "traffic") == 0) {
        begin(n, (uint64_t)value, 0, 0, now_us);
        return 0;
    }
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(verb, all[i].verb) == 0) {
            if (all[i].count)
                *all[i].count += (uint64_t)value;
            else
                *all[i].is_on = value;
            return 0;
        }
    return -EINVAL;
}

static int control(struct nic *n, char *text, uint64_t now_us)
{
    char *rest = NULL, *verb = strtok_r(text, " \n", &rest), *name = strtok_r(NULL, " \n", &rest),
         *value = strtok_r(NULL, " \n", &rest);
    bool is_fail = verb && strcmp(verb, "fail") == 0;

    if (verb && !name && strcmp(verb, "reload") == 0) {
        load_driver(n);
        return 0;
    }
    if (!verb || !name)
        return -EINVAL;
    if (!value)
        return control_number(n, verb, strtoll(name, NULL, 10), now_us);
    if (strcmp(verb, "set") == 0)
        return set_by_name(n, name, strtoll(value, NULL, 10));
    if (strcmp(verb, "add") == 0)
        return add_by_name(n, name, strtoll(value, NULL, 10));
    if (strcmp(verb, "feed") == 0)
        begin(n, 0, strtoull(name, NULL, 10), strtoull(value, NULL, 10), now_us);
    else if (is_fail && strcmp(name, "read") == 0)
        n->fail_read = (int)strtol(value, NULL, 10);
    else if (is_fail && strcmp(name, "write") == 0)
        n->fail_write = (int)strtol(value, NULL, 10);
    else
        return -EINVAL;
    return 0;
}

int nic_write(struct nic *n, const struct nic_node *f, const char *bytes, size_t length, uint64_t now_us)
{
    char text[128];

    if (length >= sizeof text)
        return -EINVAL;
    memcpy(text, bytes, length);
    text[length] = '\0';
    if (f->kind == NIC_CONTROL)
        return control(n, text, now_us);
    if (f->kind != NIC_PARAMETER && f->kind != NIC_ENABLE)
        return -EACCES;
    log_write(n, f, bytes, length);
    return n->flavour == NIC_LOCKED ? -EPERM : !is_there(n, f) ? -ENODEV : n->fail_write ? -n->fail_write :
           write_parameter(n, f, text);
}
