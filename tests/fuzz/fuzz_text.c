/* tests/fuzz/fuzz_text.c - every parser of base/text on the same input.
 *
 *   clang -g -O1 -fsanitize=fuzzer,address,undefined -I src tests/fuzz/fuzz_text.c \
 *       src/base/{text,err}.c -lm
 */
#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROMISE(holds) ((holds) ? (void)0 : (fprintf(stderr, "line %d: %s\n", __LINE__, #holds), abort()))
#define UNTOUCHED 0x1234567890abcdefull

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_refusal(int rc, const struct err *err)
{
    PROMISE(rc == -EINVAL || rc == -ERANGE);
    PROMISE(err->text[0] == '\'' && !strchr(err->text, '\n'));
}

/* Prefixes of rates may be in lower case: 9gb/s. */
static double factor(const char *unit, const char *prefixes)
{
    const char *found = *unit ? strchr(prefixes, *unit) : NULL;

    if (*unit && !found)
        found = strchr(prefixes, toupper((unsigned char)*unit));
    return found ? pow(unit[1] == 'i' ? 1024 : 1000, (double)(found - prefixes)) : 1;
}

/* Returns the unit after a number. "u" represents the micro sign and the Greek letter. */
static const char *unit_of(const char *number_end)
{
    const char *unit = number_end + strspn(number_end, " \t");

    return strncmp(unit, "\xc2\xb5", 2) == 0 || strncmp(unit, "\xce\xbc", 2) == 0 ? "us" : unit;
}

/* strtold() and powers, which share no code with the parser, must give the same value. "s" is not a prefix:
 * its power is 'plain'. */
static void check_value(const char *text, uint64_t got, const char *prefixes, double plain)
{
    char *end;
    long double number = strtold(text, &end), want;
    const char *unit = unit_of(end);

    want = number * (unit[0] == 's' ? plain : factor(unit, prefixes));
    PROMISE(fabsl(want - (long double)got) <= 0.5L + want * 1e-15L);
}

static void check_time(const char *text)
{
    struct err err = { "" };
    uint64_t got = UNTOUCHED, back = 0;
    char buf[32];
    int rc = text_to_time(text, &got, &err);

    if (rc) {
        check_refusal(rc, &err);
        PROMISE(got == UNTOUCHED);
        return;
    }
    /* p n u m are 0 to 3 thousands above a picosecond; "s" is four. */
    check_value(text, got, "pnum", 1e12);
    if (got < UINT64_MAX / 1001 * 1000) {
        PROMISE(text_to_time(text_from_time(buf, sizeof(buf), got), &back, &err) == 0);
        PROMISE(fabs((double)back - (double)got) <= (double)got * 0.000501);
    }
}

static void check_rate_and_bytes(const char *text)
{
    struct err err = { "" };
    uint64_t got = UNTOUCHED;
    int rc = text_to_rate(text, &got, &err);

    if (rc)
        check_refusal(rc, &err);
    else
        check_value(text, got, "bKMGT", 1);
    PROMISE(rc == 0 || got == UNTOUCHED);
    got = UNTOUCHED;
    rc = text_to_bytes(text, &got, &err);
    if (rc)
        check_refusal(rc, &err);
    else
        check_value(text, got, "BKMGT", 1);
    PROMISE(rc == 0 || got == UNTOUCHED);
}

static void check_numbers(const char *text)
{
    struct err err = { "" };
    uint64_t n = UNTOUCHED;
    double x = -1;
    char *end;
    int yes = -1, rc = text_to_uint(text, &n, &err);

    if (rc)
        check_refusal(rc, &err);
    else
        PROMISE(n == strtoull(text, &end, 10) && *end == '\0');
    rc = text_to_real(text, &x, &err);
    if (rc)
        check_refusal(rc, &err);
    PROMISE(rc ? x == -1 : isfinite(x) && x >= 0);
    PROMISE(text_to_bool(text, &yes, &err) == 0 ? yes == 0 || yes == 1 : yes == -1);
}

static void check_nearest(const char *text)
{
    static const char *const names[] = { "kmin", "kmax", "pmax", "rpg_time_reset", "rpg_byte_reset", NULL };
    const char *found = text_nearest(text, names);
    const char *const self[] = { "x", text, NULL };
    int is_listed = 0;

    for (int i = 0; names[i]; i++)
        is_listed |= found == names[i];
    PROMISE(!found || is_listed);
    if (*text && strlen(text) <= 63 && strcasecmp(text, "x") != 0)
        PROMISE(text_nearest(text, self) == text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);

    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    check_time(text);
    check_rate_and_bytes(text);
    check_numbers(text);
    check_nearest(text);
    free(text);
    return 0;
}
