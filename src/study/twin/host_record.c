#include "study/twin/host_record.h"

#include "base/minmax.h"
#include "base/print/safe.h"
#include "base/text.h"
#include "base/tokens.h"
#include "core/knob_text.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DEVICES_MAX  256
#define COUNTERS_MAX 1024        /* per device */
#define WRAP_BITS    32          /* width of mlx5's retransmission counters */

struct reading {
    struct host_record made;
    const char        *name;     /* of the file */
    struct err        *err;
    double             first_s, last_s;
};

static struct host_device *device_of(struct reading *r, const char *name)
{
    struct host_record *m = &r->made;

    for (uint32_t i = 0; i < m->devices; i++)
        if (strcmp(m->device[i].name, name) == 0)
            return &m->device[i];
    if (m->devices == DEVICES_MAX)
        return NULL;
    m->device = xrealloc(m->device, (m->devices + 1ul) * sizeof(*m->device));
    m->device[m->devices] = (struct host_device){ 0 };
    snprintf(m->device[m->devices].name, HOST_NAME_BYTES, "%s", name);
    return &m->device[m->devices++];
}

static struct host_counter *counter_of(struct host_device *d, const char *name)
{
    for (uint32_t i = 0; i < d->counters; i++)
        if (strcmp(d->counter[i].name, name) == 0)
            return &d->counter[i];
    if (d->counters == COUNTERS_MAX)
        return NULL;
    d->counter = xrealloc(d->counter, (d->counters + 1ul) * sizeof(*d->counter));
    d->counter[d->counters] = (struct host_counter){ 0 };
    snprintf(d->counter[d->counters].name, HOST_NAME_BYTES, "%s", name);
    return &d->counter[d->counters++];
}

/* ---- counters ---- */

/* Counters of sent bytes, preferred ones first: RDMA only, if the NIC counts it separately. */
static const struct { const char *name; uint32_t bytes_each; } sent_counters[] = {
    { "port_xmit_data", 4 }, { "tx_vport_rdma_unicast_bytes", 1 }, { "tx_bytes_phy", 1 }, { "tx_bytes", 1 },
};

#define SENT_COUNTERS (sizeof(sent_counters) / sizeof(*sent_counters))

static bool counts_sent(const char *name)
{
    for (size_t i = 0; i < SENT_COUNTERS; i++)
        if (strcmp(name, sent_counters[i].name) == 0)
            return true;
    return false;
}

/* 0 after a reset. */
static uint64_t growth(const struct host_counter *c, uint64_t value)
{
    if (value >= c->last)
        return value - c->last;
    if (c->last >> (WRAP_BITS - 1) == 1)     /* near the end of its range: it wrapped */
        return value + (1ull << WRAP_BITS) - c->last;
    return 0;
}

static int add_counter(struct reading *r, struct host_device *d, const char *name, double at_s,
                       uint64_t value)
{
    struct host_counter *c = counter_of(d, name);

    if (!c)
        return err_set(r->err, EINVAL, "%s: %s has more than %d counters", r->name, d->name, COUNTERS_MAX);
    if (c->readings && at_s < c->last_s)
        return err_set(r->err, EINVAL, "%s: %s %s: time goes back from %.3f to %.3f s", r->name, d->name,
                       name, c->last_s, at_s);
    if (c->readings && at_s == c->last_s)
        return 0;
    if (c->readings)
        c->grown += growth(c, value);
    else
        c->first_s = at_s;
    c->last = value;
    c->last_s = at_s;
    c->largest = max_u64(c->largest, value);
    if (counts_sent(name)) {
        c->point = xgrow(c->point, c->readings, &c->points_max, 64, sizeof(*c->point));
        c->point[c->readings] = (struct host_point){ at_s, value };
    }
    c->readings++;
    r->first_s = fmin(r->first_s, at_s);
    r->last_s = fmax(r->last_s, at_s);
    return 0;
}

/* ---- the table of anole record ---- */

enum { ROW_TIME, ROW_DEVICE, ROW_NAME, ROW_VALUE };

static const char *const row_columns[] = { "time_s", "device", "name", "value", NULL };

static void read_info(struct reading *r, struct host_device *d, const char *name, const char *value)
{
    if (strcmp(name, "host") == 0)
        snprintf(r->made.host, HOST_NAME_BYTES, "%s", value);
    else if (strcmp(name, "ethtool") == 0)
        r->made.has_ethtool = strcmp(value, "yes") == 0;
    else if (d && strcmp(name, "netdev") == 0)
        snprintf(d->netdev, HOST_NAME_BYTES, "%s", value);
    else if (d && strcmp(name, "settings") == 0)
        d->has_settings = strcmp(value, "none") != 0;
    else if (d && strcmp(name, "speed_mbps") == 0)
        d->rate_bps = strtoull(value, NULL, 10) * 1000000;
}

static int read_row(struct reading *r, const struct csv *csv)
{
    const char         *device = csv->cell[ROW_DEVICE], *name = csv->cell[ROW_NAME];
    bool                is_host = strcmp(device, "host") == 0;
    struct host_device *d = is_host ? NULL : device_of(r, device);
    enum knob           knob;
    uint64_t            value;
    double              at_s;
    int                 rc;

    if (!is_host && !d)
        return csv_refuse(csv, ROW_DEVICE, r->err, "there are more devices than a host has");
    if (strncmp(name, "info.", 5) == 0) {
        read_info(r, d, name + 5, csv->cell[ROW_VALUE]);
        return 0;
    }
    if (!d)
        return 0;
    rc = csv_uint(csv, ROW_VALUE, &value, r->err);
    if (!rc && strncmp(name, "setting.", 8) == 0) {
        knob = knob_find(name + 8);
        if (knob != KNOB_COUNT)
            knob_set_add(&d->setting, knob, (double)value);
    } else if (!rc && strncmp(name, "counter.", 8) == 0) {
        rc = csv_real(csv, ROW_TIME, &at_s, r->err);
        if (!rc)
            rc = add_counter(r, d, name + 8, at_s, value);
    }
    return rc;
}

static int read_table(struct reading *r, const char *text, size_t bytes)
{
    struct csv csv;
    int        more, rc = 0;

    csv_open(&csv, r->name, text, bytes, row_columns);
    for (int i = 0; row_columns[i] && !rc; i++)
        rc = csv_need(&csv, i, "time_s,device,name,value", r->err);
    while (!rc && (more = csv_next(&csv, r->err)) != 0)
        rc = more < 0 ? more : read_row(r, &csv);
    return rc;
}

/* ---- output of ethtool -S ---- */

/* "2026-11-17T20:05:01Z", also with a space for the T, or seconds: in seconds. */
static bool parse_time(const char *text, double *at_s)
{
    struct tm   tm = { 0 };
    const char *end = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);
    char       *rest;

    if (!end)
        end = strptime(text, "%Y-%m-%d %H:%M:%S", &tm);
    if (!end) {
        double seconds = strtod(text, &rest);

        if (rest == text || *rest || !(seconds >= 0 && seconds <= 1e12))
            return false;
        *at_s = seconds;
        return true;
    }
    *at_s = (double)timegm(&tm);
    if (*end == '.' || *end == ',') {
        double fraction = 0, digit = 0.1;

        for (end++; isdigit((unsigned char)*end); end++, digit /= 10)
            fraction += digit * (*end - '0');
        *at_s += fraction;
    }
    return *end == '\0' || *end == 'Z' || *end == '+' || *end == '-' || *end == ' ';
}

static int read_ethtool_line(struct reading *r, char *line, bool *has_time, double *at_s)
{
    char    *colon = strchr(line, ':'), *end;
    uint64_t value;

    if (parse_time(line, at_s)) {
        *has_time = true;
        return 0;
    }
    if (!colon || strcmp(line, "NIC statistics:") == 0)
        return 0;
    *colon = '\0';
    value = strtoull(colon + 1, &end, 10);
    if (end == colon + 1 || *end)
        return 0;
    if (!*has_time)
        return err_set(r->err, EINVAL, "%s: a line with the time must stand before each block of ethtool -S: "
                       "while sleep 1; do date -Is; ethtool -S eth0; done", r->name);
    return strlen(line) < HOST_NAME_BYTES ? add_counter(r, device_of(r, "nic"), line, *at_s, value) : 0;
}

static int read_ethtool(struct reading *r, const char *text, size_t bytes)
{
    const char *at = text, *stop = text + bytes;
    bool        has_time = false;
    double      at_s = 0;
    int         rc = 0;

    r->made.has_ethtool = true;
    while (at < stop && !rc) {
        const char *newline = memchr(at, '\n', (size_t)(stop - at)), *end = newline ? newline : stop;
        char        line[256];

        while (at < end && isspace((unsigned char)*at))
            at++;
        snprintf(line, sizeof(line), "%.*s", (int)(end - at < 255 ? end - at : 255), at);
        line[strcspn(line, "\r")] = '\0';
        rc = read_ethtool_line(r, line, &has_time, &at_s);
        at = end + 1;
    }
    return rc;
}

/* ---- a file ---- */

static const struct host_counter *find_counter(const struct host_device *d, const char *name)
{
    for (uint32_t i = 0; i < d->counters; i++)
        if (strcmp(d->counter[i].name, name) == 0 && d->counter[i].readings > 1)
            return &d->counter[i];
    return NULL;
}

static void print_sent(const struct host_device *d, FILE *out)
{
    for (size_t i = 0; i < SENT_COUNTERS; i++) {
        const struct host_counter *c = find_counter(d, sent_counters[i].name);

        for (uint32_t k = 0; c && k < c->readings; k++)
            fprintf(out, "%.3f,%s,%.0f\n", c->point[k].at_s, d->name,
                    (double)c->point[k].value * sent_counters[i].bytes_each);
        if (c)
            return;
    }
}

static void write_sent(struct host_record *h)
{
    FILE *out = text_stream(&h->sent);

    fputs("time_s,port,bytes\n", out);
    for (uint32_t i = 0; i < h->devices; i++)
        print_sent(&h->device[i], out);
    fclose(out);
    h->sent_bytes = strlen(h->sent);
}

static bool is_table(const char *text, size_t bytes)
{
    static const char head[] = "time_s,device,name,value";

    return bytes >= sizeof(head) - 1 && memcmp(text, head, sizeof(head) - 1) == 0;
}

bool host_record_is(const char *text, size_t bytes)
{
    char head[256];

    if (is_table(text, bytes))
        return true;
    snprintf(head, sizeof(head), "%.*s", (int)(bytes < 255 ? bytes : 255), text);
    return strstr(head, "NIC statistics:") != NULL;
}

static int check_record(const struct reading *r)
{
    if (r->made.devices == 0)
        return err_set(r->err, EINVAL, "%s: there is no device in it", r->name);
    if (!(r->last_s > r->first_s))
        return err_set(r->err, EINVAL, "%s: counters were read only once; two times are needed for a rate",
                       r->name);
    return 0;
}

int host_record_read(struct host_record *to, const char *name, const char *text, size_t bytes,
                     struct err *err)
{
    struct reading r = { .name = name, .err = err, .first_s = INFINITY, .last_s = -INFINITY };
    int            rc = is_table(text, bytes) ? read_table(&r, text, bytes) : read_ethtool(&r, text, bytes);

    if (!rc)
        rc = check_record(&r);
    if (rc) {
        host_record_fini(&r.made);
        return rc;
    }
    r.made.seconds = r.last_s - r.first_s;
    write_sent(&r.made);
    *to = r.made;
    return 0;
}

void host_record_fini(struct host_record *h)
{
    for (uint32_t i = 0; i < h->devices; i++) {
        for (uint32_t k = 0; k < h->device[i].counters; k++)
            free(h->device[i].counter[k].point);
        free(h->device[i].counter);
    }
    free(h->device);
    free(h->sent);
    *h = (struct host_record){ 0 };
}

uint64_t host_record_rate(const struct host_record *h)
{
    uint64_t best = 0;
    uint32_t most = 0;

    for (uint32_t i = 0; i < h->devices; i++) {
        uint32_t same = 0;

        for (uint32_t k = 0; k < h->devices; k++)
            same += h->device[k].rate_bps == h->device[i].rate_bps;
        if (h->device[i].rate_bps && same > most) {
            most = same;
            best = h->device[i].rate_bps;
        }
    }
    return best;
}

/* ---- symptoms ---- */

#define PAUSED_SHARE 0.001       /* of the time; less is not reported */
#define PCI_STALLED  5           /* percent of the time */

static uint64_t grown(const struct host_device *d, const char *name)
{
    const struct host_counter *c = find_counter(d, name);

    return c ? c->grown : 0;
}

static const struct host_counter *find_prio(const struct host_device *d, const char *format, int prio)
{
    char name[HOST_NAME_BYTES];

    snprintf(name, sizeof(name), format, prio);
    return find_counter(d, name);
}

/* Prints a symptom of a device. Returns 1: how many it has printed. */
static uint32_t print_symptom(FILE *out, const struct host_device *d, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static uint32_t print_symptom(FILE *out, const struct host_device *d, const char *format, ...)
{
    va_list args;

    safe_printf(out, "  %s: ", d->name);
    va_start(args, format);
    safe_vprintf(out, format, args);
    va_end(args);
    fputc('\n', out);
    return 1;
}

static uint32_t print_pauses(const struct host_device *d, FILE *out)
{
    uint32_t found = 0;

    for (int prio = 0; prio < 8; prio++) {
        const struct host_counter *us = find_prio(d, "rx_prio%d_pause_duration", prio);
        const struct host_counter *frames = find_prio(d, "rx_prio%d_pause", prio);
        const struct host_counter *sent = find_prio(d, "tx_prio%d_pause", prio);

        if (us && (double)us->grown / 1e6 >= PAUSED_SHARE * (us->last_s - us->first_s))
            found += print_symptom(out, d, "the network paused priority %d for %.2g %% of the time. Its "
                                   "queues reached PFC.", prio,
                                   (double)us->grown / 1e4 / (us->last_s - us->first_s));
        else if (!us && frames && frames->grown)
            found += print_symptom(out, d, "%" PRIu64 " PAUSE frames arrived on priority %d; how long they "
                                   "lasted is not known.", frames->grown, prio);
        if (sent && sent->grown)
            found += print_symptom(out, d, "this host sent %" PRIu64 " PAUSE frames on priority %d: it takes "
                                   "data slower than the line. Look at PCIe and memory; DCQCN does not mend "
                                   "that.", sent->grown, prio);
    }
    return found;
}

/* Counters that should not grow, and the meaning if they do. */
static const struct { const char *name, *meaning; } bad_counters[] = {
    { "out_of_sequence", "packets arrived out of order or after a loss" },
    { "packet_seq_err", "NACKs for lost packets arrived" },
    { "local_ack_timeout_err", "acknowledgements did not arrive in time" },
    { "roce_adp_retrans", "adaptive retransmissions" },
    { "rnr_nak_retry_err", "receivers had no buffer posted" },
    { "out_of_buffer", "packets were dropped because no receive buffer was posted" },
    { "rx_discards_phy", "packets were dropped because the NIC's own buffer was full" },
    { "tx_pause_storm_error_events", "the NIC's watchdog cut off a pause storm" },
    { "tx_pause_storm_warning_events", "the NIC's watchdog saw a pause storm coming" },
};

static uint32_t print_losses(const struct host_device *d, FILE *out)
{
    uint32_t found = 0;

    for (size_t i = 0; i < sizeof(bad_counters) / sizeof(*bad_counters); i++)
        if (grown(d, bad_counters[i].name))
            found += print_symptom(out, d, "%s grew by %" PRIu64 ": %s.", bad_counters[i].name,
                                   grown(d, bad_counters[i].name), bad_counters[i].meaning);
    return found;
}

static bool is_paused(const struct host_device *d)
{
    for (int prio = 0; prio < 8; prio++) {
        const struct host_counter *frames = find_prio(d, "rx_prio%d_pause", prio);

        if (frames && frames->grown)
            return true;
    }
    return false;
}

/* Counters of congestion control by driver: mlx5 (sysfs, then ethtool), bnxt_re, irdma, ionic. */
static const char *const marked_counters[] = {
    "np_ecn_marked_roce_packets", "rx_ecn_mark", "rx_ecn_marked_pkts", "RxECNMrkd",
};
static const char *const cnp_counters[] = {
    "rp_cnp_handled", "rx_cnp_pkts", "cnpHandled", "rx_rdma_cnp_pkts",
};

#define NAMES(list) (sizeof(list) / sizeof(*(list)))

/* The first counter of the list that the device has; or NULL. */
static const struct host_counter *first_of(const struct host_device *d, const char *const *name, size_t names)
{
    const struct host_counter *c = NULL;

    for (size_t i = 0; i < names && !c; i++)
        c = find_counter(d, name[i]);
    return c;
}

static double per_second(const struct host_counter *c)
{
    return (double)c->grown / (c->last_s - c->first_s);
}

/* Congestion in the network: marked data that this host received, and CNPs that slowed its own flows down. */
static uint32_t print_congestion(const struct host_device *d, FILE *out)
{
    const struct host_counter *marked = first_of(d, marked_counters, NAMES(marked_counters)),
                              *cnps = first_of(d, cnp_counters, NAMES(cnp_counters));
    uint32_t                   found = 0;

    if (marked && marked->grown)
        found += print_symptom(out, d, "%s grew by %" PRIu64 ", %.3g per second: data for this host waited in "
                               "queues above kmin.", marked->name, marked->grown, per_second(marked));
    if (cnps && cnps->grown)
        found += print_symptom(out, d, "%s grew by %" PRIu64 ", %.3g per second: CNPs slowed this host's own "
                               "flows down.", cnps->name, cnps->grown, per_second(cnps));
    return found;
}

/* Checks that ECN, notification and reaction work together. */
static uint32_t print_loop(const struct host_device *d, FILE *out)
{
    const struct host_counter *sent = find_counter(d, "np_cnp_sent"),
                              *handled = find_counter(d, "rp_cnp_handled");
    uint32_t                   found = 0;

    if (grown(d, "rp_cnp_ignored"))
        found += print_symptom(out, d, "%" PRIu64 " CNPs were ignored: reaction is not enabled on their "
                               "priority.", grown(d, "rp_cnp_ignored"));
    if (grown(d, "np_ecn_marked_roce_packets") && sent && sent->grown == 0)
        found += print_symptom(out, d, "marked packets arrived, but no CNP was sent: notification is not "
                               "enabled.");
    if (is_paused(d) && handled && handled->grown == 0)
        found += print_symptom(out, d, "pauses but no CNPs: switches pause before they mark. ECN is off, or "
                               "its thresholds are above those of PFC.");
    return found;
}

static uint32_t print_pci(const struct host_device *d, FILE *out)
{
    const struct host_counter *c = find_counter(d, "outbound_pci_stalled_wr");

    if (!c || c->largest < PCI_STALLED)
        return 0;
    return print_symptom(out, d, "PCIe stalled writes for up to %" PRIu64 " %% of the time: the host is the "
                         "bottleneck.", c->largest);
}

static uint32_t print_differences(const struct host_record *h, FILE *out)
{
    uint32_t found = 0;

    for (uint32_t i = 1; i < h->devices; i++)
        for (enum knob k = 0; k < KNOB_COUNT; k++) {
            const struct knob_set *a = &h->device[0].setting, *b = &h->device[i].setting;
            char                   one[KNOB_TEXT_MAX], other[KNOB_TEXT_MAX];

            if (a->is_named[k] && b->is_named[k] && a->knobs.value[k] != b->knobs.value[k])
                found += print_symptom(out, &h->device[i], "%s is %s, but %s has %s.", knob_info[k].name,
                                       knob_text(one, k, b->knobs.value[k]), h->device[0].name,
                                       knob_text(other, k, a->knobs.value[k]));
        }
    return found;
}

uint32_t host_record_print_symptoms(const struct host_record *h, FILE *out)
{
    uint32_t found = 0;

    for (uint32_t i = 0; i < h->devices; i++)
        found += print_congestion(&h->device[i], out);
    found += print_differences(h, out);
    for (uint32_t i = 0; i < h->devices; i++)
        found += print_pauses(&h->device[i], out) + print_loop(&h->device[i], out) +
                 print_losses(&h->device[i], out) + print_pci(&h->device[i], out);
    return found;
}
