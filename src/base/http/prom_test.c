/* src/base/http/prom_test.c - output against the specification of the text format. */
#include "base/http/prom.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void prom_value__labels_are_escaped(void **state)
{
    struct prom p;
    char       *text;

    (void)state;
    prom_init(&p);
    prom_family(&p, "a_total", "counter", "Things.");
    prom_value(&p, 3, "device", "a\"b\\c\nd\x01", "kind", "NIC", NULL);
    prom_value(&p, NAN, NULL);
    prom_one(&p, "b", "gauge", "Another.", -INFINITY);
    text = prom_end(&p);
    assert_string_equal(text, "# HELP a_total Things.\n# TYPE a_total counter\n"
                              "a_total{device=\"a\\\"b\\\\c\\nd?\",kind=\"NIC\"} 3\na_total NaN\n"
                              "# HELP b Another.\n# TYPE b gauge\nb -Inf\n");
    free(text);
}

static void prom_value__large_counts_keep_their_digits(void **state)
{
    struct prom p;
    char       *text;

    (void)state;
    prom_init(&p);
    prom_one(&p, "bytes_total", "counter", "Bytes.", 123456789012345.0);
    text = prom_end(&p);
    assert_non_null(strstr(text, "\nbytes_total 123456789012345\n"));
    free(text);
}

static void prom_end__grows_as_needed(void **state)
{
    struct prom p;
    char       *text;
    size_t      lines = 0;

    (void)state;
    prom_init(&p);
    prom_family(&p, "x", "gauge", "X.");
    for (int i = 0; i < 10000; i++)
        prom_value(&p, i, "n", "a device with a long name", NULL);
    text = prom_end(&p);
    for (const char *c = text; *c; c++)
        lines += *c == '\n';
    assert_int_equal(lines, 10002);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prom_value__labels_are_escaped),
        cmocka_unit_test(prom_value__large_counts_keep_their_digits),
        cmocka_unit_test(prom_end__grows_as_needed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
