/* bench/step.c - a program that steps a world by libanole: for bench/library.
 *
 *     step SCENARIO END_US STEP_US
 *
 * Also prints counters that a run of the same scenario prints, to show that both did the same work.
 */
#include <anole.h>

#include <stdio.h>
#include <stdlib.h>

static char *read_text(const char *path)
{
    FILE  *in = fopen(path, "r");
    char  *text = calloc(1, 65536);
    size_t size = in && text ? fread(text, 1, 65535, in) : 0;

    if (in)
        fclose(in);
    return size ? text : NULL;
}

int main(int count, char **arg)
{
    char               *text = count == 4 ? read_text(arg[1]) : NULL, error[256] = "usage: step SCENARIO END_US STEP_US";
    struct anole_world *w = text ? anole_open(text, error, sizeof error) : NULL;
    uint64_t            end_ps = w ? strtoull(arg[2], NULL, 10) * 1000000 : 0, step_ps = w ? strtoull(arg[3], NULL, 10) * 1000000 : 0, steps = 0;

    if (!w) {
        fprintf(stderr, "%s\n", error);
        return 1;
    }
    for (uint64_t at = step_ps; at <= end_ps; at += step_ps, steps++)
        if (anole_run(w, at) < 0) {
            fprintf(stderr, "%s\n", anole_failure(w));
            return 1;
        }
    printf("%llu steps\n", (unsigned long long)steps);
    anole_close(w);
    free(text);
    return 0;
}
