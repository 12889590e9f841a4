#include "base/print/spark.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define LEVELS 8

/* As in the C library, the first variable that is set counts. */
bool spark_is_utf8(void)
{
    static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        const char *locale = getenv(names[i]), *charset;

        if (!locale || !*locale)
            continue;
        charset = strchr(locale, '.');
        return charset && (strncasecmp(charset, ".UTF-8", 6) == 0 || strncasecmp(charset, ".utf8", 5) == 0);
    }
    return false;
}

bool spark_range(const double *values, uint32_t count, double *low, double *high)
{
    bool is_any = false;

    for (uint32_t i = 0; i < count; i++) {
        if (isnan(values[i]))
            continue;
        *low = !is_any || values[i] < *low ? values[i] : *low;
        *high = !is_any || values[i] > *high ? values[i] : *high;
        is_any = true;
    }
    return is_any;
}

static int level_of(double value, double low, double high)
{
    int level;

    if (high <= low)
        return value == 0 ? 0 : LEVELS / 2 - 1;
    level = (int)((value - low) / (high - low) * LEVELS);
    return level < LEVELS ? level : LEVELS - 1;
}

char *spark_draw(char buf[SPARK_BYTES], const double *values, uint32_t count, bool is_utf8)
{
    double low = 0, high = 0;
    char  *to = buf;

    count = count < SPARK_COLUMNS ? count : SPARK_COLUMNS;
    spark_range(values, count, &low, &high);
    for (uint32_t i = 0; i < count; i++) {
        int level = isnan(values[i]) ? -1 : level_of(values[i], low, high);

        if (level < 0) {
            *to++ = ' ';
        } else if (!is_utf8) {
            *to++ = "_.-:=+*#"[level];
        } else {
            memcpy(to, "\xe2\x96\x81", 3);
            to[2] = (char)(to[2] + level);
            to += 3;
        }
    }
    *to = '\0';
    return buf;
}
