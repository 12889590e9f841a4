#include "live/view/metrics.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* When the first of these was asked for is near enough to when the process began. */
static double start_s(void)
{
    static double    first;
    struct timespec  now;

    clock_gettime(CLOCK_REALTIME, &now);
    if (first == 0)
        first = (double)now.tv_sec + (double)now.tv_nsec / 1e9;
    return first;
}

static double resident_bytes(void)
{
    FILE *f = fopen("/proc/self/statm", "re");
    char  text[128] = "", *rest = text;

    if (!f)
        return 0;
    if (!fgets(text, sizeof text, f))
        text[0] = '\0';
    fclose(f);
    (void)strtoul(text, &rest, 10);              /* the first number is what is mapped */
    return (double)strtoul(rest, NULL, 10) * (double)sysconf(_SC_PAGESIZE);
}

static double open_files(void)
{
    DIR   *d = opendir("/proc/self/fd");
    double count = 0;

    while (d && readdir(d))
        count++;
    if (d)
        closedir(d);
    return count > 3 ? count - 3 : 0;            /* "." and "..", and this folder */
}

void process_metrics(struct prom *p, const char *version, const struct server_counts *h)
{
    struct rusage u;

    getrusage(RUSAGE_SELF, &u);
    prom_family(p, "anole_build_info", "gauge", "Which version this is.");
    prom_value(p, 1, "version", version, NULL);
    prom_one(p, "process_cpu_seconds_total", "counter", "Processor time that the process has used.",
             (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
             (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6);
    prom_one(p, "process_resident_memory_bytes", "gauge", "Memory of the process that is in RAM.",
             resident_bytes());
    prom_one(p, "process_open_fds", "gauge", "Files that are open.", open_files());
    prom_one(p, "process_start_time_seconds", "gauge", "When the process began, since 1970.", start_s());
    prom_one(p, "anole_http_requests_total", "counter", "HTTP requests that were answered.",
             (double)h->requests);
    prom_one(p, "anole_http_refused_total", "counter", "Of these, with a status of 400 or more.",
             (double)h->refused);
    prom_one(p, "anole_http_wrong_tokens_total", "counter", "Of these, for lack of the right token.",
             (double)h->wrong_tokens);
    prom_one(p, "anole_http_listeners", "gauge", "Who listens to events.", h->listeners);
}

void process_peers(struct prom *p, const char *prefix, const struct serve_counts *n)
{
    char name[80];

    snprintf(name, sizeof name, "%s_refused_peers_total", prefix);
    prom_family(p, name, "counter", "Connections that were refused, by reason.");
    for (int i = 0; i < SECURE_REFUSAL_KINDS; i++)
        prom_value(p, (double)n->refused[i], "reason", secure_refusal_text((enum secure_refusal)i), NULL);
    snprintf(name, sizeof name, "%s_ignored_messages_total", prefix);
    prom_one(p, name, "counter", "Messages beyond the budget of a certificate.", (double)n->ignored);
    snprintf(name, sizeof name, "%s_handshakes", prefix);
    prom_one(p, name, "gauge", "Connections that have not shown who they are.", n->handshakes);
}

json_t *process_refused_json(const struct serve_counts *n)
{
    json_t  *o, *reasons;
    uint64_t total = 0;

    if (!n)
        return json_null();
    o = json_object();
    reasons = json_object();
    for (int i = 0; i < SECURE_REFUSAL_KINDS; i++) {
        total += n->refused[i];
        if (n->refused[i])
            json_put_count(reasons, secure_refusal_text((enum secure_refusal)i), n->refused[i]);
    }
    json_put_count(o, "total", total);
    json_put_text(o, "last", n->last_s ? secure_refusal_text(n->last) : "");
    json_put_number(o, "last_ms", n->last_s ? 1e3 * (double)n->last_s : NAN);
    json_object_set_new(o, "reasons", reasons);
    return o;
}
