/* bench/live_history.c - months of history in a file, in a controller's format, for tests of its page.
 *
 *   live_history FILE DAYS DEVICES
 *
 * The history ends now. Load follows the time of day. A setting is tried every ten days, and every second one
 * is kept. One device reports half of the time. There is a point per minute, and a point per second for the
 * last three hours.
 */
#include "bench/bench.h"
#include "base/err.h"
#include "live/view/history/history.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>

#define MINUTE_MS 60000ull
#define HOUR_MS   3600000ull
#define DAY_MS    86400000ull

static uint64_t wall_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* A triangle over the day, 0 .. 1. */
static double wave(uint64_t at_ms)
{
    double x = (double)(at_ms % DAY_MS) / DAY_MS;

    return x < 0.5 ? 2 * x : 2 - 2 * x;
}

static void add_point(struct history *h, uint64_t at_ms, uint64_t kept)
{
    struct store_point p = { .wall_ms = at_ms };

    p.value[STORE_COVERAGE] = 0.99;
    p.value[STORE_METRIC] = 0.6 + 0.02 * (double)kept - 0.2 * wave(at_ms);
    p.value[STORE_PAUSED] = 0.03 * wave(at_ms);
    p.value[STORE_UTILISATION] = 0.2 + 0.6 * wave(at_ms);
    p.value[STORE_CNPS] = 5000 * wave(at_ms);
    p.value[STORE_WITH] = p.value[STORE_WITHOUT] = NAN;
    history_add_point(h, &p);
}

static void add_record(struct history *h, uint64_t seq, uint64_t at_ms, const char *what, const char *why, const char *evidence, uint64_t trial)
{
    char      line[600], when[64];
    time_t    at = (time_t)(at_ms / 1000);
    struct tm utc;

    gmtime_r(&at, &utc);
    strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%S.000Z", &utc);
    snprintf(line, sizeof line, "{\"seq\":%" PRIu64 ",\"time\":\"%s\",\"who\":\"c1\",\"what\":\"%s\",\"why\":\"%s\",\"evidence\":\"%s\",\"change\":%" PRIu64
             ",\"term\":65537,\"new\":{\"rpg_ai_rate\":%" PRIu64 "}}", seq, when, what, why, evidence, trial, 5 + trial);
    history_add_record(h, line);
}

static void add_trial(struct history *h, uint64_t at_ms, uint64_t trial)
{
    bool is_kept = trial % 2;
    char set[80];

    add_record(h, 3 * trial - 2, at_ms, "try", "tuner expert", "", trial);
    add_record(h, 3 * trial - 1, at_ms + HOUR_MS, "stage", "13 pairs show no harm", "gain 0.02, e-value 3.1", trial);
    add_record(h, 3 * trial, at_ms + 3 * HOUR_MS, is_kept ? "keep" : "drop", is_kept ? "it is better" : "no difference",
               is_kept ? "gain 0.02, at least 0.01, e-value 128" : "gain 0.00, e-value 0.4", trial);
    snprintf(set, sizeof set, "{\"rpg_ai_rate\":%" PRIu64 ",\"rpg_hai_rate\":50}", 5 + trial);
    if (is_kept)
        history_add_knobs(h, at_ms + 3 * HOUR_MS, set);
}

static void add_devices(struct history *h, uint64_t at_ms, uint32_t devices)
{
    char   (*name)[STORE_NAME_SIZE] = xcalloc(devices, sizeof *name);
    uint8_t *share = xcalloc(devices, 1);

    for (uint32_t i = 0; i < devices; i++) {
        snprintf(name[i], sizeof *name, "rack%u-host%u/mlx5_0", i / 32, i % 32);
        share[i] = i == devices - 1 ? STORE_SHARE_ONE / 2 : STORE_SHARE_ONE;
    }
    history_add_coverage(h, at_ms, devices, (const char (*)[STORE_NAME_SIZE])name, share);
    free(name);
    free(share);
}

int main(int argc, char **argv)
{
    uint64_t        now_ms = wall_ms() / MINUTE_MS * MINUTE_MS, days, from_ms, trial = 0, reported = 0;
    struct history *h;
    struct err      err = { "" };

    if (argc != 4)
        bench_fail("live_history", "FILE DAYS DEVICES");
    if (history_open(&h, argv[1], &err))
        bench_fail("live_history", err.text);
    days = strtoul(argv[2], NULL, 10);
    from_ms = now_ms - days * DAY_MS;
    history_add_knobs(h, from_ms, "{\"rpg_ai_rate\":5,\"rpg_hai_rate\":50}");
    for (uint64_t at = from_ms; at < now_ms; at += at + 3 * HOUR_MS < now_ms ? MINUTE_MS : 1000) {
        uint64_t minute = (at - from_ms) / MINUTE_MS;

        add_point(h, at, (trial + 1) / 2);
        if (minute % 14400 == 7200 && at % MINUTE_MS == 0)
            add_trial(h, at, ++trial);
        if ((minute % 60 == 0 || at + DAY_MS > now_ms) && at % MINUTE_MS == 0)
            add_devices(h, at, (uint32_t)strtoul(argv[3], NULL, 10));
        if (++reported % 1024 == 0)
            history_flush(h);
    }
    history_flush(h);
    if (history_lost(h, &err))
        bench_fail("live_history", err.text);
    history_free(h);
    return 0;
}
