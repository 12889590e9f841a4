/* standin/mrc/mrc_library.c - libanole-mrc.so: a library for MRC whose NIC is a folder, for tests.
 *
 * It has the functions that driver mrc calls (live/driver/mrc_api.h). The NIC is the folder from which the
 * library is loaded: a link to the library in another folder makes another NIC. Three files hold its state,
 * which persists between processes. The file 'log' has every accepted change.
 *
 *   device    name; can: capabilities; queue_pairs: active ones; busy 1: changes give EBUSY; fail_read and
 *             fail_write: an errno; target_delay_max (ns); rtt (ns); load; silent n: every n-th probe has no
 *             answer; min_active, mode: of the paths; operation_max: paths per call; version
 *   profile   of congestion control: state, and the 13 parameters of NSCC
 *   paths     port, value (hexadecimal), state: 1 good, 2 assumed bad, 4 denied
 *
 * From the public interface: states and their order; EBUSY while queue pairs use a profile that the device
 * cannot change online; the first failing entry of a list of paths ends the call. Assumed: a target delay
 * above target_delay_max is clamped silently. A round trip is rtt + load x target_delay and up to 2 % more,
 * because NSCC keeps queues near its target.
 */
#include "live/driver/mrc_api.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATHS_MAX 256
#define TEXT_SIZE 8192           /* of a file */

#define DECLARE(symbol, name, result, arguments) \
    __attribute__((visibility("default"))) result symbol arguments;
MRC_FUNCTIONS(DECLARE)

#define PROFILE_ROWS(X) \
    X(disable_qa, uint8_t, "0") X(adjust_bytes, uint32_t, "33280") X(adjust_period_ns, uint32_t, "12000") \
    X(base_rtt_ns, uint32_t, "12000") X(eta, float, "0.15") X(fi, float, "5") X(fi_scale, float, "0.25") \
    X(gamma, float, "0.8") X(max_md_jump, float, "0.5") X(max_cwnd_bytes, uint32_t, "900000") \
    X(qa_gate, uint8_t, "3") \
    X(qa_threshold_ns, uint32_t, "36000") X(target_delay_ns, uint32_t, "9000")

static const char device_first[] =
    "name mrc_0\ncan 34\nqueue_pairs 0\nbusy 0\nfail_read 0\nfail_write 0\ntarget_delay_max 100000\n"
    "rtt 8000\nload 1\nsilent 0\nmin_active 2\nmode 2\noperation_max 2\nversion 16777217\n";
static const char profile_first[] = "state 2\n"
#define FIRST(name, type, value) #name " " value "\n"
    PROFILE_ROWS(FIRST);
static const char paths_first[] = "1 0a 1\n1 0b 1\n2 0a 1\n2 0b 1\n";

/* ---- files ---- */

static const char *file_of(char path[512], const char *name)
{
    Dl_info     info;
    const char *slash = dladdr(device_first, &info) ? strrchr(info.dli_fname, '/') : NULL;

    snprintf(path, 512, "%.*s/%s", slash ? (int)(slash - info.dli_fname) : 1, slash ? info.dli_fname : ".",
             name);
    return path;
}

static void save(const char *name, const char *text)
{
    char path[512], half[520];

    snprintf(half, sizeof half, "%s.new", file_of(path, name));
    FILE *f = fopen(half, "we");
    if (!f)
        return;
    fputs(text, f);
    if (fclose(f) == 0)
        rename(half, path);
}

enum { DEVICE, PROFILE, PATHS };
static const struct { const char *name, *first; } files[] = {
    { "device", device_first }, { "profile", profile_first }, { "paths", paths_first },
};

/* A missing file is created with its initial contents. */
static void load(int file, char text[TEXT_SIZE])
{
    char   path[512];
    FILE  *f = fopen(file_of(path, files[file].name), "re");
    size_t length = f ? fread(text, 1, TEXT_SIZE - 1, f) : 0;

    text[length] = '\0';
    if (f) {
        fclose(f);
        return;
    }
    save(files[file].name, files[file].first);
    snprintf(text, TEXT_SIZE, "%s", files[file].first);
}

static const char *next_line(const char *line)
{
    const char *end = strchr(line, '\n');

    return end ? end + 1 : NULL;
}

static const char *value_of(const char *text, const char *key)
{
    size_t length = strlen(key);

    for (const char *line = text; line && *line; line = next_line(line))
        if (strncmp(line, key, length) == 0 && line[length] == ' ')
            return line + length + 1;
    return "0";
}

static long device_number(const char *key)
{
    char text[TEXT_SIZE];

    load(DEVICE, text);
    return strtol(value_of(text, key), NULL, 10);
}

static int fail(int error)
{
    errno = error;
    return -1;
}

/* ---- verbs ---- */

struct ibv_device { char name[64]; };
struct ibv_context { char unused; };
struct mrc_context { uint32_t probes; };

static struct ibv_device the_device;

struct ibv_device **ibv_get_device_list(int *count)
{
    struct ibv_device **list = calloc(2, sizeof *list);
    char                text[TEXT_SIZE];

    load(PROFILE, text);
    load(PATHS, text);
    load(DEVICE, text);
    sscanf(value_of(text, "name"), "%63s", the_device.name);
    if (list)
        list[0] = &the_device;
    *count = list != NULL;
    return list;
}

void ibv_free_device_list(struct ibv_device **list)
{
    free(list);
}

const char *ibv_get_device_name(struct ibv_device *d)
{
    return d->name;
}

struct ibv_context *ibv_open_device(struct ibv_device *d)
{
    (void)d;
    return calloc(1, sizeof(struct ibv_context));
}

int ibv_close_device(struct ibv_context *c)
{
    free(c);
    return 0;
}

/* ---- the device ---- */

void mrc_ctl_query_version(uint32_t *now, uint32_t *oldest, uint32_t *vendor, uint32_t *vendor_oldest)
{
    *now = (uint32_t)device_number("version");
    *oldest = *vendor_oldest = 0;
    *vendor = 1u << 24;
}

struct mrc_context *mrc_create_context(struct ibv_context *c, const uint32_t version[2])
{
    (void)c, (void)version;
    return calloc(1, sizeof(struct mrc_context));
}

int mrc_destroy_context(struct mrc_context *c)
{
    free(c);
    return 0;
}

int mrc_ctl_query_device_ex(struct ibv_context *v, struct mrc_context *c, struct mrc_device *d,
                            int *is_supported)
{
    static const char *const algorithms[] = { MRC_NSCC, NULL };

    (void)v, (void)c;
    *d = (struct mrc_device){ .versions = 1, .control = { 1, algorithms }, .ports = 6, .path.profiles_max = 1,
                              .path.modes = 7 };
    d->can = (uint32_t)device_number("can");
    d->path.operation_max = (uint32_t)device_number("operation_max");
    *is_supported = 1;
    return 0;
}

/* ---- congestion control ---- */

static long load_profile(struct mrc_nscc *n)
{
    char text[TEXT_SIZE];

    load(PROFILE, text);
#define TAKE(name, type, value) n->name = (type)strtod(value_of(text, #name), NULL);
    PROFILE_ROWS(TAKE)
    return strtol(value_of(text, "state"), NULL, 10);
}

static void save_profile(const struct mrc_nscc *n, long state)
{
    char  text[TEXT_SIZE], path[512];
    int   used = snprintf(text, sizeof text, "state %ld\n", state);
    FILE *log = fopen(file_of(path, "log"), "ae");

#define PUT(name, type, value) \
    used += snprintf(text + used, sizeof text - (size_t)used, #name " %.9g\n", (double)n->name);
    PROFILE_ROWS(PUT)
    save("profile", text);
    if (!log)
        return;
    for (int i = 0; i < used; i++)
        putc(text[i] == '\n' ? ' ' : text[i], log);
    putc('\n', log);
    fclose(log);
}

int mrc_ctl_query_cc_profile(struct mrc_context *c, uint64_t number, struct mrc_control *p, int what)
{
    struct mrc_nscc n;
    long            error = device_number("fail_read");

    (void)c;
    if (error)
        return fail((int)error);
    if (number != 1)
        return fail(EINVAL);
    p->state_now = (int)load_profile(&n);
    p->algorithm = p->state_now == MRC_INIT ? NULL : MRC_NSCC;
    if ((what & MRC_CONTROL_CONFIG) && p->config)
        memcpy(p->config, &n, sizeof n);
    return 0;
}

int mrc_ctl_modify_cc_profile(struct mrc_context *c, uint64_t number, struct mrc_control *p, int what)
{
    struct mrc_nscc n;
    long            state = load_profile(&n), error = device_number("fail_write");
    long            max = device_number("target_delay_max");
    bool            is_used = state == MRC_ONLINE && device_number("queue_pairs");

    (void)c;
    if (error || number != 1)
        return fail(error ? (int)error : EINVAL);
    if (device_number("busy"))
        return fail(EBUSY);
    /* INIT - OFFLINE - ONLINE, one step at a time */
    if (what & MRC_CONTROL_STATE &&
        (p->state < MRC_INIT || p->state > MRC_ONLINE || labs(state - p->state) != 1))
        return fail(EINVAL);
    if (what & MRC_CONTROL_STATE && is_used)
        return fail(EBUSY);
    if (what & MRC_CONTROL_CONFIG) {
        if (state == MRC_INIT || !p->config)
            return fail(EINVAL);
        if (is_used && !(device_number("can") & MRC_CAN_SET_CONTROL_ONLINE))
            return fail(EBUSY);
        memcpy(&n, p->config, sizeof n);
        n.target_delay_ns = n.target_delay_ns > max ? (uint32_t)max : n.target_delay_ns;
    }
    save_profile(&n, what & MRC_CONTROL_STATE ? p->state : state);
    return 0;
}

/* ---- paths ---- */

static int load_paths(struct mrc_path_entry *entry)
{
    char text[TEXT_SIZE];
    int  count = 0;

    load(PATHS, text);
    for (const char *line = text; line && *line && count < PATHS_MAX; line = next_line(line)) {
        struct mrc_path_entry *e = &entry[count++];
        char                  *end;

        *e = (struct mrc_path_entry){ .path.port = (uint8_t)strtoul(line, &end, 10) };
        e->path.value[0] = (uint8_t)strtoul(end, &end, 16);
        e->state = (int)strtol(end, NULL, 10);
    }
    return count;
}

static void save_paths(const struct mrc_path_entry *entry, int count)
{
    char text[TEXT_SIZE];
    int  used = 0;

    for (int i = 0; i < count; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%u %02x %d\n", entry[i].path.port,
                         entry[i].path.value[0], entry[i].state);
    save("paths", text);
}

int mrc_ctl_query_ev_profile(struct mrc_context *c, uint64_t number, struct mrc_paths *p, int what)
{
    struct mrc_path_entry entry[PATHS_MAX];
    int                   count = load_paths(entry), room = p->operation.count;
    long                  error = device_number("fail_read");

    (void)c;
    if (error || number != 1)
        return fail(error ? (int)error : EINVAL);
    p->state_now = MRC_ONLINE;
    p->mode = (int)device_number("mode");
    p->format = 1;
    p->count = (uint32_t)count;
    p->min_active = (uint32_t)device_number("min_active");
    if (!(what & MRC_PATHS_OPERATION))
        return 0;
    if (p->operation.what != MRC_PATHS_GET_ALL)
        return fail(EINVAL);
    p->operation.count = count;
    if (room < count)
        return fail(E2BIG);
    memcpy(p->operation.entry, entry, (size_t)count * sizeof *entry);
    return 0;
}

int mrc_ctl_modify_ev_profile(struct mrc_context *c, uint64_t number, struct mrc_paths *p, int what)
{
    struct mrc_path_entry entry[PATHS_MAX];
    int                   count = load_paths(entry), max = (int)device_number("operation_max");
    int                   error = (int)device_number("fail_write");

    (void)c;
    if (number != 1 || what != MRC_PATHS_OPERATION || p->operation.what != MRC_PATHS_SET_STATE ||
        (max && p->operation.count > max))
        return fail(EINVAL);
    for (int i = 0; i < p->operation.count; i++) {
        const struct mrc_path_entry *wanted = &p->operation.entry[i];
        int                          at = 0;

        if (error && i)          /* the first has been set: partial success */
            return fail(error);
        while (at < count && memcmp(&entry[at].path, &wanted->path, sizeof wanted->path) != 0)
            at++;
        if (at == count || (wanted->state != MRC_PATH_GOOD && wanted->state != MRC_PATH_DENIED))
            return fail(at == count ? ENOENT : EINVAL);
        entry[at].state = wanted->state;
        save_paths(entry, count);
    }
    return 0;
}

int mrc_ctl_query_ev_fmt_profile(struct mrc_context *c, uint64_t number, struct mrc_format *f, int what)
{
    (void)c, (void)number, (void)what;
    f->mode = 1;                 /* flow label and source port */
    return 0;
}

/* ---- probes ---- */

int mrc_ctl_ep_batch_send_wait(struct mrc_context *c, uint8_t dscp, int kind, struct mrc_probe *probe,
                               int count, uint32_t timeout_ns, struct mrc_reply *reply, int *replies)
{
    struct mrc_nscc n;
    long            silent = device_number("silent"), rtt = device_number("rtt");
    long            queues = device_number("load");

    (void)dscp;
    *replies = 0;
    if (kind != 0 || !(device_number("can") & MRC_CAN_PROBE))
        return fail(ENOTSUP);
    load_profile(&n);
    for (int i = 0; i < count; i++) {
        double noise = (double)(++c->probes * 2654435761u >> 16 & 1023) / 1024;
        double rtt_ns = (double)(rtt + queues * n.target_delay_ns) * (1 + 0.02 * noise);

        if (silent && c->probes % (uint32_t)silent == 0)
            continue;
        reply[(*replies)++] = (struct mrc_reply){ .number = probe[i].number, .port = probe[i].path.port,
                                                  .is_net = 1, .rtt_ns = (unsigned)rtt_ns };
    }
    if (*replies == count)
        return 0;
    usleep(timeout_ns / 1000);
    return fail(ETIMEDOUT);
}
