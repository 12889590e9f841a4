#include "live/driver/mrc.h"
#include "base/io/clock.h"
#include "base/minmax.h"
#include "base/reader.h"
#include "core/units.h"
#include "live/core/knobset.h"

#include <linux/capability.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIBRARY    "libmrc.so"
#define PATHS_MAX  4096
#define PROBES_MAX 64            /* in one batch */
#define PORTS_MAX  8
#define GIDS_MAX   16            /* of a port that are looked at */
#define LOOK_EVERY 16            /* samples between two looks at the list of paths */

/* ---- the file ---- */

static const struct key_row keys[] = {
    { "library", KEY_NAME, LIBRARY, "the vendor's library for MRC: a name, or a path relative to this file" },
    { "cc_profile", KEY_COUNT, "1", "number of the profile of congestion control",
      KEY_AT(struct mrc_settings, cc_profile), 0, UINT32_MAX },
    { "ev_profile", KEY_COUNT, "1", "number of the profile of paths",
      KEY_AT(struct mrc_settings, ev_profile), 0, UINT32_MAX },
    { "to", KEY_LIST, "", "IP addresses to probe, at most 16; round trips to them are the metric; default: "
      "none" },
    { "probes", KEY_COUNT, "4", "probes to each of them per interval, over different paths",
      KEY_AT(struct mrc_settings, probes), 1, PROBES_MAX },
    { "dscp", KEY_COUNT, "0", "of probes: the traffic class to measure",
      KEY_AT(struct mrc_settings, dscp), 0, 63 },
    { "timeout", KEY_TIME, "1ms", "longest time that the agent waits for answers",
      KEY_AT(struct mrc_settings, timeout_us), 10 * PS_PER_US, 100 * PS_PER_MS, .per = PS_PER_US },
    { "deny", KEY_REAL, "0",
      "largest share of the paths that the controller may deny, by the knob denied_ports; 0: none",
      KEY_AT(struct mrc_settings, deny), 0, 0.9 },
    { 0 },
};

static void configure(struct reader *r, const struct yaml_node *map, void *settings)
{
    struct mrc_settings *m = settings;
    struct section       s = section_open(r, map, &(struct section){ .name = "mrc", .own = keys });
    const char          *text = section_text(&s, "library");
    char                *path = text && strchr(text, '/') ? section_file(&s, "library") : NULL;

    section_read(&s, keys, m);
    if (text && strlen(path ? path : text) >= sizeof m->library)
        reader_refuse(r, section_get(&s, "library"), "library: its name is too long");
    else
        snprintf(m->library, sizeof m->library, "%s", path ? path : text ? text : LIBRARY);
    free(path);
    for (const struct yaml_node *n = section_list(&s, "to", MRC_TO_MAX); n && !r->rc; n = n->next)
        if (n->kind != YAML_SCALAR || !mrc_gid_parse(&m->to[m->destinations++], n->text))
            reader_refuse(r, n, "to: an IP address is wanted: 10.0.0.2");
    if (!r->rc && m->probes * m->destinations > PROBES_MAX)
        reader_refuse(r, section_place(&s, "probes"), "probes: %u to each of %u destinations is more than %d "
                      "per interval", m->probes, m->destinations, PROBES_MAX);
}

/* ---- the fields ---- */

enum field { U8, U32, FLOAT };

/* 'per': so many units of the field are one of the knob. */
static const struct { enum knob knob; enum field kind; size_t at; double per; } rows[] = {
    { KNOB_nscc_disable_qa, U8, offsetof(struct mrc_nscc, disable_qa), 1 },
    { KNOB_nscc_adjust_bytes, U32, offsetof(struct mrc_nscc, adjust_bytes), 1000 },
    { KNOB_nscc_adjust_period, U32, offsetof(struct mrc_nscc, adjust_period_ns), 1000 },
    { KNOB_nscc_base_rtt, U32, offsetof(struct mrc_nscc, base_rtt_ns), 1000 },
    { KNOB_nscc_eta, FLOAT, offsetof(struct mrc_nscc, eta), 1 },
    { KNOB_nscc_fi, FLOAT, offsetof(struct mrc_nscc, fi), 1 },
    { KNOB_nscc_fi_scale, FLOAT, offsetof(struct mrc_nscc, fi_scale), 1 },
    { KNOB_nscc_gamma, FLOAT, offsetof(struct mrc_nscc, gamma), 1 },
    { KNOB_nscc_max_md_jump, FLOAT, offsetof(struct mrc_nscc, max_md_jump), 1 },
    { KNOB_nscc_max_cwnd, U32, offsetof(struct mrc_nscc, max_cwnd_bytes), 1000 },
    { KNOB_nscc_qa_gate, U8, offsetof(struct mrc_nscc, qa_gate), 1 },
    { KNOB_nscc_qa_threshold, U32, offsetof(struct mrc_nscc, qa_threshold_ns), 1000 },
    { KNOB_nscc_target_delay, U32, offsetof(struct mrc_nscc, target_delay_ns), 1000 },
};
enum { ROWS = sizeof rows / sizeof *rows };

/* The shortest decimal number that is this float: 0.15, where the float itself is 0.1500000059. */
static double decimal(float value)
{
    char text[32];

    for (int digits = 1; digits <= 9; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, (double)value);
        if (strtof(text, NULL) == value)
            break;
    }
    return strtod(text, NULL);
}

static double get_field(const struct mrc_nscc *c, int row)
{
    const void *at = (const char *)c + rows[row].at;

    switch (rows[row].kind) {
    case U8:  return *(const uint8_t *)at;
    case U32: return *(const uint32_t *)at / rows[row].per;
    default:  return decimal(*(const float *)at);
    }
}

/* Fails if the field cannot hold the value. */
static int put_field(struct mrc_nscc *c, int row, double value)
{
    void  *at = (char *)c + rows[row].at;
    double scaled = round(value * rows[row].per);

    if (!(value >= 0 && scaled <= (rows[row].kind == U8 ? UINT8_MAX : UINT32_MAX)))
        return -EINVAL;
    switch (rows[row].kind) {
    case U8:  *(uint8_t *)at = (uint8_t)scaled; break;
    case U32: *(uint32_t *)at = (uint32_t)scaled; break;
    default:  *(float *)at = (float)value; break;
    }
    return knobset_is_equal_value(get_field(c, row), value) ? 0 : -EINVAL;
}

/* ---- opening ---- */

struct mrc {
    struct mrc_api        api;
    struct mrc_settings   settings;
    struct ibv_context   *verbs;
    struct mrc_context   *context;
    struct mrc_device     device;
    char                  name[MSG_NAME_SIZE];
    bool                  is_standin;                    /* its root is not "/" */
    struct mrc_gid        from[PORTS_MAX + 1][2];        /* by port and version of IP: 4, 6 */
    bool                  has_from[PORTS_MAX + 1][2], has_any_from;
    struct mrc_path_entry *path;                         /* NULL: not read yet */
    uint32_t              paths, usable;                 /* usable: good ones, which come first */
    uint32_t              min_active;                    /* paths that the profile needs */
    int                   format_mode;
    uint32_t              looks;                         /* samples since the paths were read */
    uint32_t              next_path;
    uint16_t              next_number;
    uint32_t              base_ns[MRC_TO_MAX];           /* the least seen; 0: none yet */
    uint64_t              sampled_us;                    /* 0: never */
    struct msg_detail     detail;                        /* round trips alone */
};

/* Reports the call of the library that has just failed. */
static int fail(const struct mrc *m, const char *what, struct err *err)
{
    int error = errno ? errno : EIO;

    return err_set(err, error, "%s: %s: %s", m->name, what, strerror(error));
}

static bool has_nscc(const struct mrc_device *d)
{
    for (const char *const *a = d->control.algorithms; a && *a; a++)
        if (strcmp(*a, MRC_NSCC) == 0)
            return true;
    return false;
}

static int open_verbs(struct mrc *m, struct err *err)
{
    int                 count = 0, rc;
    struct ibv_device **list = m->api.list_devices(&count);

    rc = err_set(err, ENODEV, "%s: there is no RDMA device of that name", m->name);
    for (int i = 0; list && i < count; i++)
        if (strcmp(m->api.name_of(list[i]), m->name) == 0) {
            m->verbs = m->api.open_device(list[i]);
            rc = m->verbs ? 0 : fail(m, "it cannot be opened", err);
            break;
        }
    if (list)
        m->api.free_devices(list);
    return rc;
}

static int open_context(struct mrc *m, struct err *err)
{
    static const uint32_t version[2] = { MRC_VERSION, 0 };
    int                   is_supported = 0, rc = open_verbs(m, err);

    if (rc)
        return rc;
    m->context = m->api.create(m->verbs, version);
    if (!m->context)
        return fail(m, "no MRC context", err);
    if (m->api.get_device(m->verbs, m->context, &m->device, &is_supported))
        return fail(m, "its capabilities cannot be read", err);
    return is_supported ? 0 : err_set(err, ENOTSUP, "%s: the device has no MRC", m->name);
}

static void close_context(struct mrc *m)
{
    if (m->context)
        m->api.destroy(m->context);
    if (m->verbs)
        m->api.close_device(m->verbs);
}

static void close_device(void *state)
{
    struct mrc *m = state;

    close_context(m);
    mrc_api_close(&m->api);
    free(m->path);
    free(m);
}

static int get_profile(struct mrc *m, struct mrc_nscc *config, struct err *err)
{
    struct mrc_control c = { .config = config };

    *config = (struct mrc_nscc){ 0 };
    if (m->api.get_control(m->context, m->settings.cc_profile, &c,
                           MRC_CONTROL_STATE_NOW | MRC_CONTROL_ALGORITHM | MRC_CONTROL_CONFIG))
        return fail(m, "its CC profile cannot be read", err);
    if (c.state_now == MRC_INIT)
        return err_set(err, ENODATA, "%s: CC profile %u is not set up yet", m->name, m->settings.cc_profile);
    if (!c.algorithm || strcmp(c.algorithm, MRC_NSCC) != 0)
        return err_set(err, ENOTSUP, "%s: CC profile %u has algorithm %s, not " MRC_NSCC, m->name,
                       m->settings.cc_profile, c.algorithm ? c.algorithm : "none");
    if (c.config && c.config != config)  /* a library may fill in what it is given, or return its own */
        *config = *(struct mrc_nscc *)c.config;
    return 0;
}

static bool is_v4(const struct mrc_gid *g)
{
    static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

    return memcmp(g->byte, mapped, sizeof mapped) == 0;
}

/* Source addresses of probes: the RoCEv2 addresses of each port, except link-local ones. */
static void find_sources(struct mrc *m, const char *root)
{
    char           folder[400], path[512], text[64];
    struct mrc_gid g;

    for (uint32_t port = 1; port <= PORTS_MAX; port++)
        for (int i = 0; i < GIDS_MAX; i++) {
            snprintf(folder, sizeof folder, "%.250s/sys/class/infiniband/%s/ports/%u", root, m->name, port);
            snprintf(path, sizeof path, "%s/gid_attrs/types/%d", folder, i);
            if (driver_read_text(path, text, sizeof text) || strcmp(text, "RoCE v2") != 0)
                continue;
            snprintf(path, sizeof path, "%s/gids/%d", folder, i);
            if (driver_read_text(path, text, sizeof text) || !mrc_gid_parse(&g, text) ||
                (g.byte[0] == 0xfe && g.byte[1] == 0x80) || m->has_from[port][!is_v4(&g)])
                continue;
            m->from[port][!is_v4(&g)] = g;
            m->has_from[port][!is_v4(&g)] = m->has_any_from = true;
        }
}

static int check_probes(const struct mrc *m, struct err *err)
{
    if (!m->settings.destinations)
        return 0;
    if (!(m->device.can & MRC_CAN_PROBE))
        return err_set(err, ENOTSUP, "%s: the device cannot send probes; remove 'to' from the section 'mrc'",
                       m->name);
    return m->has_any_from ? 0 : err_set(err, ENODEV, "%s: none of its ports has a RoCE v2 address that "
                                         "probes could come from", m->name);
}

static int open_device(const struct driver *driver, void **state, const char *root, const char *name,
                       struct err *err)
{
    struct mrc     *m = xcalloc(1, sizeof *m);
    struct mrc_nscc config;

    *state = NULL;
    m->settings = *(const struct mrc_settings *)driver->arg;
    m->is_standin = strcmp(root, "/") != 0;
    snprintf(m->name, sizeof m->name, "%.31s", name);
    int rc = mrc_api_open(&m->api, m->settings.library, err);
    rc = rc ? rc : open_context(m, err);
    if (!rc && !has_nscc(&m->device))
        rc = err_set(err, ENOTSUP, "%s: the device does not have the algorithm " MRC_NSCC, name);
    rc = rc ? rc : get_profile(m, &config, err);
    if (!rc)
        find_sources(m, root);
    rc = rc ? rc : check_probes(m, err);
    if (rc)
        close_device(m);
    else
        *state = m;
    return rc;
}

static int find(const struct driver *driver, const char *root, char name[][MSG_NAME_SIZE], struct err *err)
{
    const struct mrc_settings *settings = driver->arg;
    struct mrc_api             api;
    int there = 0, count = 0, rc = mrc_api_open(&api, settings->library, err);

    (void)root;
    if (rc)
        return rc;
    struct ibv_device **list = api.list_devices(&there);
    for (int i = 0; list && i < there && count < DRIVER_DEVICES_MAX; i++) {
        struct mrc m = { .api = api };
        struct err why;

        snprintf(m.name, sizeof m.name, "%.31s", api.name_of(list[i]));
        if (!open_context(&m, &why))
            snprintf(name[count++], MSG_NAME_SIZE, "%s", m.name);
        close_context(&m);
    }
    if (list)
        api.free_devices(list);
    mrc_api_close(&api);
    return count ? count : err_set(err, ENODEV, "driver mrc: none of %d RDMA devices has MRC", there);
}

/* MRC requires CAP_NET_ADMIN for changes. A stand-in requires nothing. */
static int permit(void *state, struct err *err)
{
    const struct mrc  *m = state;
    char               line[128];
    unsigned long long effective = ~0ull;
    FILE              *f = m->is_standin ? NULL : fopen("/proc/self/status", "re");

    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, "CapEff:", 7) == 0)
            effective = strtoull(line + 7, NULL, 16);
    if (f)
        fclose(f);
    return effective >> CAP_NET_ADMIN & 1 ? 0 : err_set(err, EACCES, "%s: it needs CAP_NET_ADMIN", m->name);
}

/* ---- paths ---- */

static int compare_usable(const void *a, const void *b)
{
    const struct mrc_path_entry *x = a, *y = b;

    return (x->state != MRC_PATH_GOOD) - (y->state != MRC_PATH_GOOD);
}

/* Reads all paths of the profile with their states; usable ones first. */
static int read_paths(struct mrc *m, struct err *err)
{
    struct mrc_paths  p = { 0 };
    struct mrc_format f = { 0 };

    m->paths = m->usable = 0;
    if (m->api.get_paths(m->context, m->settings.ev_profile, &p,
                         MRC_PATHS_STATE_NOW | MRC_PATHS_MODE | MRC_PATHS_FORMAT | MRC_PATHS_COUNT |
                         MRC_PATHS_MIN_ACTIVE))
        return fail(m, "its EV profile cannot be read", err);
    m->min_active = p.min_active;
    if (p.mode == MRC_MODE_AUTO || !p.count || p.count > PATHS_MAX)
        return err_set(err, ENOTSUP, "%s: EV profile %u has %s", m->name, m->settings.ev_profile,
                       p.mode == MRC_MODE_AUTO ? "mode AUTO: the NIC chooses its paths itself" :
                       !p.count ? "no paths" : "too many paths");
    if (m->api.get_format(m->context, p.format, &f, MRC_FORMAT_MODE))
        return fail(m, "the format of its paths cannot be read", err);
    free(m->path);
    m->path = xcalloc(p.count, sizeof *m->path);
    p.operation.what = MRC_PATHS_GET_ALL;
    p.operation.entry = m->path;
    p.operation.count = (int)p.count;
    if (m->api.get_paths(m->context, m->settings.ev_profile, &p, MRC_PATHS_OPERATION))
        return fail(m, "its paths cannot be read", err);
    m->format_mode = f.mode;
    m->paths = min_u32(p.count, (uint32_t)p.operation.count);
    for (uint32_t i = 0; i < m->paths; i++)
        m->usable += m->path[i].state == MRC_PATH_GOOD;
    qsort(m->path, m->paths, sizeof *m->path, compare_usable);
    return 0;
}

/* ---- ports that the controller denies ---- */

static uint32_t bit_of(const struct mrc_path_entry *e)
{
    return e->path.port >= 1 && e->path.port <= PORTS_MAX ? 1u << (e->path.port - 1) : 0;
}

/* Ports whose paths are all denied; *some: those with any. */
static uint32_t ports_denied(const struct mrc *m, uint32_t *some)
{
    uint32_t open = 0, denied = 0;

    for (uint32_t i = 0; i < m->paths; i++)
        *(m->path[i].state == MRC_PATH_DENIED ? &denied : &open) |= bit_of(&m->path[i]);
    if (some)
        *some = denied;
    return denied & ~open;
}

/* May the paths of the ports 'more' be denied, so that all of 'ports' are? Enough good paths must remain, and
 * at most the configured share may be denied. Refuses ports in which a person denied a path: a revert could
 * not distinguish these paths from ours. */
static bool may_deny(const struct mrc *m, uint32_t ports, uint32_t more)
{
    uint32_t good = 0, denied = 0, there = 0, some;

    ports_denied(m, &some);
    for (uint32_t i = 0; i < m->paths; i++) {
        bool is = bit_of(&m->path[i]) & ports;

        good += m->path[i].state == MRC_PATH_GOOD && !is;
        denied += is;
        there |= bit_of(&m->path[i]);
    }
    return !(more & some) && !(ports & ~there) && good >= max_u32(m->min_active, 1) &&
           denied <= m->settings.deny * m->paths;
}

/* Returns 0 or the error of the call that failed; those before it took effect. */
static int send_states(struct mrc *m, struct mrc_path_entry *entry, uint32_t count)
{
    uint32_t per_call = m->device.path.operation_max ? m->device.path.operation_max : count;

    for (uint32_t done = 0; done < count; done += per_call) {
        struct mrc_paths p = {
            .operation = { MRC_PATHS_SET_STATE, entry + done, (int)min_u32(per_call, count - done) },
        };

        if (m->api.set_paths(m->context, m->settings.ev_profile, &p, MRC_PATHS_OPERATION))
            return errno ? errno : EIO;
    }
    return 0;
}

static int write_ports(struct mrc *m, uint32_t ports)
{
    struct mrc_path_entry *entry;
    uint32_t               was, count = 0;
    struct err             err;
    int                    rc = read_paths(m, &err);

    if (rc)
        return rc;
    was = ports_denied(m, NULL);
    if (ports & ~was && !may_deny(m, ports, ports & ~was))
        return -EPERM;
    entry = xcalloc(m->paths, sizeof *entry);
    for (uint32_t i = 0; i < m->paths; i++)
        if (bit_of(&m->path[i]) & (ports ^ was))
            entry[count++] = (struct mrc_path_entry){
                .path = m->path[i].path,
                .state = bit_of(&m->path[i]) & ports ? MRC_PATH_DENIED : MRC_PATH_GOOD,
            };
    rc = -send_states(m, entry, count);
    free(entry);
    return rc;
}

/* "1:0a00000c": the port, and the value without zeros at its end. */
static void name_path(char name[DRIVER_PATH_NAME_SIZE], const struct mrc_path *p)
{
    int used = snprintf(name, DRIVER_PATH_NAME_SIZE, "%u:", p->port), length = MRC_PATH_BYTES;

    while (length > 1 && !p->value[length - 1])
        length--;
    for (int i = 0; i < length; i++)
        used += snprintf(name + used, (size_t)(DRIVER_PATH_NAME_SIZE - used), "%02x", p->value[i]);
}

static const char *state_name(int state)
{
    return state == MRC_PATH_GOOD ? "good" : state == MRC_PATH_ASSUMED_BAD ? "assumed bad" :
           state == MRC_PATH_DENIED ? "denied" : "unknown";
}

/* ---- knobs ---- */

/* The ports whose paths are all denied, as bits. A profile in mode AUTO has no paths and no such knob. */
static int read_ports(struct mrc *m, struct knob_set *set)
{
    struct err err;
    int        rc = read_paths(m, &err);

    if (!rc)
        knob_set_add(set, KNOB_denied_ports, ports_denied(m, NULL));
    return rc == -ENOTSUP ? 0 : rc;
}

static int read_knobs(void *state, struct knob_set *set)
{
    struct mrc     *m = state;
    struct mrc_nscc config;
    struct knob_set read = { 0 };
    struct err      err;
    int             rc = get_profile(m, &config, &err);

    for (int i = 0; i < ROWS && !rc; i++)
        knob_set_add(&read, rows[i].knob, get_field(&config, i));
    if (!rc && m->settings.deny > 0)
        rc = read_ports(m, &read);
    if (!rc)
        *set = read;
    return rc;
}

static const char *refuses(void *state)
{
    const struct mrc *m = state;

    return m->device.can & MRC_CAN_SET_CONTROL_ONLINE ? NULL :
           "the device changes NSCC's parameters only offline: a change could not be taken back while queue "
           "pairs use the profile";
}

static int write_knobs(void *state, const struct knob_set *set)
{
    struct mrc        *m = state;
    struct mrc_nscc    config;
    struct mrc_control c = { .config = &config };
    struct knob_set    rest = *set;
    struct err         err;
    bool               has_ports = m->settings.deny > 0 && set->is_named[KNOB_denied_ports];
    bool               has_field = false;
    int                rc = refuses(m) ? -EPERM : get_profile(m, &config, &err);

    for (int i = 0; i < ROWS && !rc; i++)
        if (set->is_named[rows[i].knob]) {
            rc = put_field(&config, i, set->knobs.value[rows[i].knob]);
            rest.is_named[rows[i].knob] = false;
            has_field = true;
        }
    rest.is_named[KNOB_denied_ports] &= !has_ports;
    if (!rc && !knobset_is_empty(&rest))
        rc = -ENOENT;
    if (!rc && has_ports)
        rc = write_ports(m, (uint32_t)set->knobs.value[KNOB_denied_ports]);
    if (!rc && has_field && m->api.set_control(m->context, m->settings.cc_profile, &c, MRC_CONTROL_CONFIG))
        rc = errno ? -errno : -EIO;
    return rc;
}

/* ---- probes ---- */

/* Makes a probe to a destination by a path. False: the NIC has no address of that kind. */
static bool make_probe(struct mrc *m, struct mrc_probe *probe, uint32_t to, const struct mrc_path *path)
{
    bool     is_v6 = !is_v4(&m->settings.to[to]);
    uint32_t port = path->port <= PORTS_MAX && m->has_from[path->port][is_v6] ? path->port : 1;

    *probe = (struct mrc_probe){ .number = m->next_number++, .from = m->from[port][is_v6],
                                 .to = m->settings.to[to], .format_mode = m->format_mode, .path = *path };
    return m->has_from[port][is_v6];
}

/* Round trips of a batch, in the order of the probes; 0: no answer. */
static void send_probes(struct mrc *m, struct mrc_probe *probe, int count, uint32_t rtt_ns[PROBES_MAX])
{
    struct mrc_reply reply[PROBES_MAX] = { 0 };
    int              replies = 0;

    memset(rtt_ns, 0, PROBES_MAX * sizeof *rtt_ns);
    if (!count || (m->api.probe(m->context, (uint8_t)m->settings.dscp, 0, probe, count,
                                m->settings.timeout_us * 1000, reply, &replies) && errno != ETIMEDOUT))
        return;
    for (int i = 0; i < replies && i < count; i++)
        for (int k = 0; k < count; k++)
            if (reply[i].number == probe[k].number)
                rtt_ns[k] = reply[i].rtt_ns;
}

/* Adds the round trips to one destination to the report. Returns the sum of base / round trip over all probes
 * that were sent there. A probe without an answer took at least the time that was waited. */
static double take_pair(struct mrc *m, uint32_t to, const uint32_t *of, const uint32_t *rtt_ns, int count,
                        int *sent)
{
    struct msg_pair pair = { .peer = to };
    uint32_t       *base_ns = &m->base_ns[to];
    double          sum = 0;

    for (int i = 0; i < count; i++)
        if (of[i] == to && rtt_ns[i]) {
            *base_ns = *base_ns ? min_u32(*base_ns, rtt_ns[i]) : rtt_ns[i];
            pair.rtt_ps_last = rtt_ns[i] * 1000ull;
            pair.rtt_ps_sum += pair.rtt_ps_last;
            pair.rtt_samples++;
        }
    pair.base_rtt_ps = *base_ns * 1000ull;
    if (pair.rtt_samples)
        m->detail.pair[m->detail.pairs++] = pair;
    for (int i = 0; i < count && *base_ns; i++)          /* a destination that never answered is left out */
        if (of[i] == to) {
            sum += *base_ns / (rtt_ns[i] ? rtt_ns[i] : fmax(m->settings.timeout_us * 1e3, *base_ns));
            ++*sent;
        }
    return sum;
}

/* Without any answer there is no metric. */
static void take_round_trips(struct mrc *m, const uint32_t *of, const uint32_t *rtt_ns, int count,
                             struct msg_sample *s)
{
    double sum = 0;
    int    sent = 0;

    m->detail = (struct msg_detail){ 0 };
    for (uint32_t i = 0; i < m->settings.destinations; i++)
        sum += take_pair(m, i, of, rtt_ns, count, &sent);
    if (!m->detail.pairs)
        return;
    s->metric = sum / sent;
    s->detail = &m->detail;
}

static void measure(struct mrc *m, struct msg_sample *s)
{
    struct mrc_probe probe[PROBES_MAX];
    uint32_t         to[PROBES_MAX], rtt_ns[PROBES_MAX];
    struct err       err;
    int              count = 0;

    if (!m->settings.destinations)
        return;
    if (m->looks++ % LOOK_EVERY == 0 || !m->usable)
        (void)read_paths(m, &err);          /* on failure there is no metric */
    for (uint32_t i = 0; i < m->settings.probes && m->usable; i++, m->next_path++)
        for (uint32_t k = 0; k < m->settings.destinations; k++)
            if (make_probe(m, &probe[count], k, &m->path[m->next_path % m->usable].path))
                to[count++] = k;
    send_probes(m, probe, count, rtt_ns);
    take_round_trips(m, to, rtt_ns, count, s);
}

static int sample(void *state, struct msg_sample *s)
{
    struct mrc *m = state;
    uint64_t    at_us = clock_us();
    bool        is_first = !m->sampled_us;

    *s = (struct msg_sample){ .interval_us = is_first ? 0 : at_us - m->sampled_us, .unknown = MSG_UNKNOWN_ALL,
                              .paused = NAN, .metric = NAN };
    m->sampled_us = at_us;
    measure(m, s);
    return is_first ? -EAGAIN : 0;
}

/* ---- commands of operators ---- */

static int list_paths(void *state, FILE *out, struct err *err)
{
    struct mrc *m = state;
    uint32_t    rtt_ns[PROBES_MAX];
    char        name[DRIVER_PATH_NAME_SIZE];
    int         rc = read_paths(m, err);

    for (uint32_t i = 0; i < m->paths && !rc; i++) {
        struct mrc_probe probe;
        bool             is_probed = m->settings.destinations && make_probe(m, &probe, 0, &m->path[i].path);

        name_path(name, &m->path[i].path);
        send_probes(m, &probe, is_probed, rtt_ns);
        fprintf(out, "%s %s %s", m->name, name, state_name(m->path[i].state));
        if (rtt_ns[0])
            fprintf(out, ", round trip %.3f us", rtt_ns[0] / 1e3);
        else
            fputs(is_probed ? ", no answer to a probe" : ", round trip unknown", out);
        putc('\n', out);
    }
    return rc;
}

/* Does "1:0a" or "1", a whole port, name this path? */
static bool is_named(const char *which, const struct mrc_path *p)
{
    char name[DRIVER_PATH_NAME_SIZE];

    name_path(name, p);
    size_t port = strcspn(name, ":");
    return strcmp(which, name) == 0 || (strlen(which) == port && strncmp(which, name, port) == 0);
}

/* Which of the named paths would change; counts them, and the good ones that would be left. */
static uint32_t choose(const struct mrc *m, const char *which, int to, struct mrc_path_entry *entry,
                       uint32_t *named, uint32_t *good)
{
    uint32_t count = 0;

    *named = *good = 0;
    for (uint32_t i = 0; i < m->paths; i++) {
        bool is = is_named(which, &m->path[i].path);

        *named += is;
        *good += m->path[i].state == MRC_PATH_GOOD && !(is && to == MRC_PATH_DENIED);
        if (is && (to == MRC_PATH_DENIED) != (m->path[i].state == MRC_PATH_DENIED))
            entry[count++] = (struct mrc_path_entry){ .path = m->path[i].path, .state = to };
    }
    return count;
}

/* A failed call may have changed some of them, so the paths are read again and compared. */
static int set_paths(struct mrc *m, const char *which, int to, struct mrc_path_entry *entry, uint32_t count,
                     struct err *err)
{
    uint32_t named, good;
    int      error = send_states(m, entry, count), rc = read_paths(m, err);
    uint32_t left = rc ? 0 : choose(m, which, to, entry, &named, &good);

    return rc || !left ? rc :
           err_set(err, error ? error : EIO, "%s: %u of %u paths could not be %s: %s", m->name, left, count,
                   to == MRC_PATH_DENIED ? "denied" : "allowed",
                   error ? strerror(error) : "the device holds something else");
}

static int set_path(void *state, const char *which, bool is_allowed, uint32_t *changed, struct err *err)
{
    struct mrc *m = state;
    int         to = is_allowed ? MRC_PATH_GOOD : MRC_PATH_DENIED, rc = read_paths(m, err);
    uint32_t    named, good;

    if (rc)
        return rc;
    struct mrc_path_entry *entry = xcalloc(m->paths, sizeof *entry);
    *changed = choose(m, which, to, entry, &named, &good);
    if (!named)
        rc = err_set(err, ENOENT, "%s: there is no path '%.80s'; --paths lists them", m->name, which);
    else if (!is_allowed && good < max_u32(m->min_active, 1))
        rc = err_set(err, EPERM, "%s: %u good paths would be left; its profile needs %u", m->name, good,
                     max_u32(m->min_active, 1));
    else
        rc = set_paths(m, which, to, entry, *changed, err);
    free(entry);
    return rc;
}

static const struct driver_paths paths = { list_paths, set_path };

const struct driver driver_mrc = {
    .find = find, .open = open_device, .close = close_device, .permit = permit, .read = read_knobs,
    .write = write_knobs, .sample = sample, .refuses = refuses, .paths = &paths, .keys = keys,
    .configure = configure, .settings_size = sizeof(struct mrc_settings),
    .name = "mrc", .about = "NICs with MRC (NSCC): the vendor's library", .where = KNOB_NIC,
};
