#include "study/run/progress.h"
#include "core/units.h"
#include "study/scenario/scenario.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char text[] = "topology: {kind: star, hosts: 4, rate: 100Gbps, delay: 1us}\n"
                           "traffic: [{kind: incast, senders: 3, size: 10MB}]\n";

/* Expects this line after ten seconds of wall time and 'now_ps' of simulated time. */
static void expect(uint64_t now_ps, uint64_t run_ps, const char *want)
{
    struct progress p = { .is_on = true };
    struct scenario s;
    struct sim     *sim;
    struct err      err;
    FILE           *out = tmpfile();
    char            seen[200] = "";
    int             screen = dup(STDERR_FILENO);

    assert_int_equal(0, scenario_parse(&s, "s.yaml", text, strlen(text), NULL, 0, NULL, &err));
    assert_int_equal(0, scenario_start(&s, &sim, &err));
    sim_run_until(sim, now_ps);
    fflush(stderr);
    dup2(fileno(out), STDERR_FILENO);
    p.start_s = progress_clock_s() - 10;
    progress_update(&p, sim, run_ps);
    fflush(stderr);
    dup2(screen, STDERR_FILENO);
    close(screen);
    rewind(out);
    assert_true(fread(seen, 1, sizeof seen - 1, out) > 0);
    fclose(out);
    if (!strstr(seen, want))
        fail_msg("'%s' is not in '%s'", want, seen + 4);
    sim_free(sim);
    scenario_fini(&s);
}

static void update__shows_the_share_of_a_known_end(void **unused)
{
    (void)unused;
    expect(250 * PS_PER_US, PS_PER_MS, " simulated, 25.0 % of 1 ms, 0:30 left, ");
}

/* Without a known end, such as that of a trace, finished flows are counted: they are not a share of the
 * work. */
static void update__counts_flows_without_a_known_end(void **unused)
{
    (void)unused;
    expect(PS_PER_US, NEVER, " simulated, 0 flows done, 3 under way, ");
    expect(10 * PS_PER_MS, NEVER, " simulated, 3 flows done, 0 under way, ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(update__shows_the_share_of_a_known_end),
        cmocka_unit_test(update__counts_flows_without_a_known_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
