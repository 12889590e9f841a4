#include "study/run/progress.h"
#include "base/io/clock.h"
#include "base/text.h"

#include <stdio.h>
#include <unistd.h>

#define FIRST_S 1.0              /* no progress in shorter runs */
#define EVERY_S 0.2

double progress_clock_s(void)
{
    return (double)clock_us() / 1e6;
}

void progress_start(struct progress *p, bool is_wanted)
{
    double now_s = progress_clock_s();

    *p = (struct progress){ .is_on = is_wanted && isatty(STDERR_FILENO),
                            .start_s = now_s, .from_s = now_s + FIRST_S };
}

void progress_log(struct progress *p, double every_s)
{
    if (p->is_on)
        return;
    p->is_on = p->is_log = true;
    p->log_s = every_s;
    p->drawn_s = p->start_s;
}

void progress_next(struct progress *p, const char *what)
{
    p->start_s = progress_clock_s();
    p->what = what;
}

/* "1:05", "2:00:00" */
static const char *clock_text(char buf[32], double seconds)
{
    unsigned s = seconds < 1e6 ? (unsigned)seconds : 1000000;

    if (s < 3600)
        snprintf(buf, 32, "%u:%02u", s / 60, s % 60);
    else
        snprintf(buf, 32, "%u:%02u:%02u", s / 3600, s / 60 % 60, s % 60);
    return buf;
}

/* Writes "12.0% of 20ms, 1:05 left". Without a known end: the number of finished flows. This is not a share
 * of the work, because traces and jobs start flows as others end. */
static void describe(char *buf, size_t size, const struct sim *s, uint64_t run_ps, double passed_s)
{
    double share = (double)sim_now_ps(s) / (double)run_ps;
    const struct sim_counters *c = sim_counts(s);
    char end[32], done[32], open[32], left[32];

    if (run_ps == NEVER) {
        snprintf(buf, size, "%s flows done, %s under way", text_from_count(done, sizeof(done), c->flows_done),
                 text_from_count(open, sizeof(open), c->flows_started - c->flows_done));
        return;
    }
    clock_text(left, share > 0 ? passed_s * (1 - share) / share : 0);
    snprintf(buf, size, "%.1f %% of %s, %s left", 100 * share, text_from_time(end, sizeof(end), run_ps),
             left);
}

/* True if the line is to be drawn now. */
static bool is_due(struct progress *p)
{
    double now_s = progress_clock_s();

    if (!p->is_on || now_s < p->from_s || now_s - p->drawn_s < (p->is_log ? p->log_s : EVERY_S))
        return false;
    p->drawn_s = now_s;
    p->is_drawn = !p->is_log;
    return true;
}

void progress_update(struct progress *p, const struct sim *s, uint64_t run_ps)
{
    double passed_s = progress_clock_s() - p->start_s;
    char now[32], rest[128];

    if (!is_due(p))
        return;
    describe(rest, sizeof(rest), s, run_ps, passed_s);
    fprintf(stderr, "\r\033[K%s%s simulated, %s, %.1fM hops/s", p->what ? p->what : "",
            text_from_time(now, sizeof(now), sim_now_ps(s)), rest,
            (double)sim_hops(s) / (passed_s + 1e-6) / 1e6);
}

void progress_update_runs(struct progress *p, uint32_t before, uint32_t done, uint32_t runs, uint32_t running)
{
    double passed_s = progress_clock_s() - p->start_s;

    if (!is_due(p))
        return;
    fprintf(stderr, "%s%s%u of %u runs done, %u running", p->is_log ? "anole: " : "\r\033[K",
            p->what ? p->what : "", done, runs, running);
    if (done > before) {
        unsigned left_s = (unsigned)(passed_s / (done - before) * (runs - done));

        fprintf(stderr, ", about %u:%02u:%02u left", left_s / 3600, left_s / 60 % 60, left_s % 60);
    }
    if (p->is_log)
        fputc('\n', stderr);
}

void progress_update_share(struct progress *p, const char *act, double share)
{
    double passed_s = progress_clock_s() - p->start_s;
    char   left[32];

    if (!is_due(p))
        return;
    share = share < 1 ? share : 1;
    clock_text(left, share > 0 ? passed_s * (1 - share) / share : 0);
    fprintf(stderr, "%s%s%.0f %%, %s, about %s left%s", p->is_log ? "anole: " : "\r\033[K",
            p->what ? p->what : "", 100 * share, act, left, p->is_log ? "\n" : "");
}

void progress_clear(struct progress *p)
{
    if (p->is_drawn)
        fputs("\r\033[K", stderr);
    p->is_drawn = false;
}
