#include "study/twin/recorded.h"

#include "base/minmax.h"
#include "base/text.h"
#include "base/tokens.h"
#include "core/seen/seen.h"

#include <math.h>
#include <search.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MESSAGES_MIN 50          /* fewer say too little about sizes */
#define SLOTS        20          /* time slots whose loads are compared */
#define HOSTS_MAX    (1u << 20)
#define RACE_BEYOND  1.2         /* loads of a race: see tune/rehearse/search */

static const double unit_s[] = { 1, 1e-3, 1e-6, 1e-9 };

#define UNITS 4

struct recorded_host {
    char   name[CSV_CELL_BYTES];
    double bytes, seconds;
    double last_s, last_bytes;   /* of its counter; last_bytes < 0: not yet read */
};

struct recorded_sample { double from_s, to_s,
                         bytes; };       /* traffic of a host; a message has from_s == to_s */

struct recording {
    struct csv     csv;
    struct err    *err;
    int            time;         /* column, and its unit */
    double         unit_s;
    struct recorded_host  **host;
    void          *by_name;      /* tree of hosts: search.h */
    uint32_t       hosts, hosts_max;
    struct recorded_sample *sample;
    uint32_t       samples, samples_max;     /* RECORDED_BYTES_MAX limits them */
    double         first_s, last_s;
    uint32_t       restarts;
};

/* ---- hosts by name ---- */

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct recorded_host *)a)->name, ((const struct recorded_host *)b)->name);
}

/* Returns the host, a new one if the name is new; NULL: refused. */
static struct recorded_host *host_of(struct recording *r, int column)
{
    struct recorded_host   key, *h;
    struct recorded_host **found;

    if (!*r->csv.cell[column])
        return csv_refuse(&r->csv, column, r->err, "there is no name"), NULL;
    memcpy(key.name, r->csv.cell[column], sizeof(key.name));
    found = tfind(&key, &r->by_name, compare_names);
    if (found)
        return *found;
    if (r->hosts == HOSTS_MAX)
        return csv_refuse(&r->csv, column, r->err, "there are more than a million names"), NULL;
    r->host = xgrow(r->host, r->hosts, &r->hosts_max, 64, sizeof *r->host);
    h = r->host[r->hosts++] = xmalloc(sizeof(*h));
    *h = (struct recorded_host){ .last_bytes = -1 };
    memcpy(h->name, key.name, sizeof(h->name));
    if (!tsearch(h, &r->by_name, compare_names))
        die("out of memory");
    return h;
}

/* ---- rows ---- */

static void add_sample(struct recording *r, double from_s, double to_s, double bytes)
{
    r->sample = xgrow(r->sample, r->samples, &r->samples_max, 1024, sizeof *r->sample);
    r->sample[r->samples++] = (struct recorded_sample){ from_s, to_s, bytes };
    r->first_s = r->samples == 1 ? from_s : fmin(r->first_s, from_s);
    r->last_s = r->samples == 1 ? to_s : fmax(r->last_s, to_s);
}

/* Chooses the first of four time columns that exists; 'first' is the one in seconds. */
static int choose_time(struct recording *r, int first, const char *all)
{
    for (int i = 0; i < UNITS; i++)
        if (r->csv.place[first + i] >= 0) {
            r->time = first + i;
            r->unit_s = unit_s[i];
            return 0;
        }
    return csv_need(&r->csv, first, all, r->err);
}

static int read_time(const struct recording *r, double *s)
{
    int rc = csv_real(&r->csv, r->time, s, r->err);

    *s *= r->unit_s;
    if (!rc && !(fabs(*s) <= 1e10))
        rc = csv_refuse(&r->csv, r->time, r->err, "this is not within +-10^10 seconds");
    return rc;
}

static int read_bytes(const struct recording *r, int column, double max, double *bytes)
{
    int rc = csv_real(&r->csv, column, bytes, r->err);

    if (!rc && !(*bytes >= 0 && *bytes <= max))
        rc = csv_refuse(&r->csv, column, r->err, *bytes < 0 ? "less than nothing" : "more than there can be");
    return rc;
}

enum { MSG_SRC, MSG_DST, MSG_BYTES, MSG_START };

static const char *const message_columns[] = { "src",      "dst",      "bytes",    "start_s",
                                               "start_ms", "start_us", "start_ns", NULL };

static int read_message(struct recording *r)
{
    double       bytes, at_s;
    struct recorded_host *src = host_of(r, MSG_SRC);
    int          rc = src && host_of(r, MSG_DST) ? read_bytes(r, MSG_BYTES, 0x1p48, &bytes) : -EINVAL;

    if (!rc)
        rc = read_time(r, &at_s);
    if (!rc && bytes < 1)
        rc = csv_refuse(&r->csv, MSG_BYTES, r->err, "a message of less than a byte");
    if (rc)
        return rc;
    src->bytes += bytes;
    add_sample(r, at_s, at_s, bytes);
    return 0;
}

enum { CNT_PORT, CNT_BYTES, CNT_TIME };

static const char *const counter_columns[] = { "port", "bytes", "time_s", "time_ms", "time_us", "time_ns",
                                               NULL };

static int read_counter(struct recording *r)
{
    double       bytes, at_s;
    struct recorded_host *h = host_of(r, CNT_PORT);
    int          rc = h ? read_bytes(r, CNT_BYTES, 0x1p64, &bytes) : -EINVAL;

    if (!rc)
        rc = read_time(r, &at_s);
    if (rc)
        return rc;
    if (h->last_bytes >= 0 && at_s <= h->last_s)
        return csv_refuse(&r->csv, r->time, r->err, "rows of a port go on in time");
    if (h->last_bytes >= 0 && bytes < h->last_bytes)
        r->restarts++;
    else if (h->last_bytes >= 0) {
        h->bytes += bytes - h->last_bytes;
        h->seconds += at_s - h->last_s;
        add_sample(r, h->last_s, at_s, bytes - h->last_bytes);
    }
    h->last_s = at_s;
    h->last_bytes = bytes;
    return 0;
}

static int read_rows(struct recording *r, int (*read_row)(struct recording *), uint64_t *rows)
{
    int more, rc = 0;

    *rows = 0;
    while (!rc && (more = csv_next(&r->csv, r->err)) != 0) {
        rc = more < 0 ? more : read_row(r);
        ++*rows;
    }
    return rc;
}

/* ---- loads ---- */

static uint32_t slot_of(const struct recording *r, double at_s)
{
    double slot = SLOTS * (at_s - r->first_s) / (r->last_s - r->first_s);

    return slot < 0 ? 0 : slot >= SLOTS ? SLOTS - 1 : (uint32_t)slot;
}

/* Finds the deciles of the load over time slots. A sample is spread over the slots that it covers. */
static void find_range(const struct recording *r, double bytes_per_s, bool is_counted, struct recorded *to)
{
    double   width = (r->last_s - r->first_s) / SLOTS, bytes[SLOTS] = { 0 }, seconds[SLOTS] = { 0 },
        load[SLOTS];
    uint32_t known = 0;

    for (uint32_t i = 0; i < r->samples; i++) {
        const struct recorded_sample *s = &r->sample[i];
        uint32_t             from = slot_of(r, s->from_s), end = slot_of(r, s->to_s);

        for (uint32_t k = from; k <= end; k++) {
            double start = r->first_s + k * width;
            double part =
                s->to_s > s->from_s ? fmax(0, fmin(s->to_s, start + width) - fmax(s->from_s, start)) : 0;

            bytes[k] += s->to_s > s->from_s ? s->bytes * part / (s->to_s - s->from_s) : s->bytes;
            seconds[k] += part;
        }
    }
    for (uint32_t k = 0; k < SLOTS; k++)
        if (!is_counted || seconds[k] > 0)
            load[known++] = bytes[k] / (is_counted ? seconds[k] : width * r->hosts) / bytes_per_s;
    qsort(load, known, sizeof(*load), compare_reals);
    to->load_low = load[known / 10];
    to->load_high = load[known - 1 - known / 10];
}

static int find_loads(const struct recording *r, uint64_t rate_bps, bool is_counted, struct recorded *to)
{
    double bytes_per_s = (double)rate_bps / 8, bytes = 0, seconds = 0;

    to->hosts = r->hosts;
    to->seconds = r->last_s - r->first_s;
    to->restarts = r->restarts;
    if (r->samples == 0 || !(to->seconds > 0))
        return err_set(r->err, EINVAL, "%s: no time passes in it", r->csv.name);
    for (uint32_t i = 0; i < r->hosts; i++) {
        double known = is_counted ? r->host[i]->seconds : to->seconds;

        bytes += r->host[i]->bytes;
        seconds += known;
        if (known > 0)
            to->load_busiest = fmax(to->load_busiest, r->host[i]->bytes / known / bytes_per_s);
    }
    to->load = bytes / seconds / bytes_per_s;
    if (to->load < RECORDED_LOAD_MIN)
        return err_set(r->err, EINVAL,
                       "%s: links were busy for %.2g %% of the time; from %g %% on there is something to "
                       "advise", r->csv.name, 100 * to->load, 100 * RECORDED_LOAD_MIN);
    find_range(r, bytes_per_s, is_counted, to);
    if (!(to->load <= 1)) {
        char rate[32];

        return err_set(r->err, EINVAL,
                       "%s: links of %s would be busy for %.0f %% of the time; how fast are they? --rate",
                       r->csv.name, text_from_rate(rate, sizeof(rate), (double)rate_bps), 100 * to->load);
    }
    return 0;
}

/* ---- sizes ---- */

/* Writes the smallest and largest size of each quarter octave, so that a single size is kept exactly. */
static void find_sizes(const struct recording *r, struct recorded *made)
{
    double  *bytes = xcalloc(r->samples, sizeof(*bytes));
    uint32_t i = 0;

    for (uint32_t k = 0; k < r->samples; k++)
        bytes[k] = r->sample[k].bytes;
    qsort(bytes, r->samples, sizeof(*bytes), compare_reals);
    while (i < r->samples) {
        uint32_t end = i + 1;

        while (end < r->samples && seen_bin((uint64_t)bytes[end]) == seen_bin((uint64_t)bytes[i]))
            end++;
        made->size = xrealloc(made->size, (made->sizes + 2ul) * sizeof(*made->size));
        made->size[made->sizes++] = (struct recorded_size){ bytes[i], (double)i / r->samples };
        made->size[made->sizes++] = (struct recorded_size){ bytes[end - 1], (double)end / r->samples };
        i = end;
    }
    free(bytes);
}

/* ---- all of it ---- */

/* Columns before 'time' are required. */
static int read_recording(struct recorded *to, struct recording *r, const char *all, int time,
                          int (*read_row)(struct recording *), bool is_counted, uint64_t rate_bps)
{
    struct recorded made = { 0 };
    int             rc = 0;

    for (int i = 0; i < time && !rc; i++)
        rc = csv_need(&r->csv, i, all, r->err);
    if (!rc)
        rc = choose_time(r, time, all);
    if (!rc)
        rc = read_rows(r, read_row, &made.rows);
    if (!rc && !is_counted && made.rows < MESSAGES_MIN)
        rc = err_set(r->err, EINVAL, "%s: %llu messages say too little of sizes; %d are needed", r->csv.name,
                     (unsigned long long)made.rows, MESSAGES_MIN);
    if (!rc)
        rc = find_loads(r, rate_bps, is_counted, &made);
    if (!rc && !is_counted)
        find_sizes(r, &made);
    if (!rc)
        *to = made;
    tdestroy(r->by_name, free);
    free(r->host);
    free(r->sample);
    return rc;
}

int recorded_messages(struct recorded *to, const char *name, const char *text, size_t bytes,
                      uint64_t rate_bps, struct err *err)
{
    struct recording r = { .err = err };

    csv_open(&r.csv, name, text, bytes, message_columns);
    return read_recording(to, &r, "src,dst,bytes,start_us", MSG_START, read_message, false, rate_bps);
}

int recorded_counters(struct recorded *to, const char *name, const char *text, size_t bytes,
                      uint64_t rate_bps, struct err *err)
{
    struct recording r = { .err = err };

    csv_open(&r.csv, name, text, bytes, counter_columns);
    return read_recording(to, &r, "time_s,port,bytes", CNT_TIME, read_counter, true, rate_bps);
}

void recorded_fini(struct recorded *r)
{
    free(r->size);
    *r = (struct recorded){ 0 };
}

double recorded_expected(double mean, double high)
{
    return fmin(1, fmax(mean, high / RACE_BEYOND));
}
