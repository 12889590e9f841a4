#include "base/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

/* Compares the JSON text of a value. */
static void expect(const char *want, json_t *made)
{
    char *text = json_dumps(made, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(JSON_DIGITS));

    assert_string_equal(want, text);
    free(text);
    json_decref(made);
}

static void of_number__writes_null_for_nan_and_infinity(void **unused)
{
    (void)unused;
    expect("0.1", json_of_number(0.1));
    expect("null", json_of_number(NAN));
    expect("null", json_of_number(-INFINITY));
}

static void of_rounded__keeps_six_digits(void **unused)
{
    (void)unused;
    expect("0.333333", json_of_rounded(1.0 / 3));
    expect("1234570.0", json_of_rounded(1234567));
    expect("null", json_of_rounded(NAN));
}

static void of_text__replaces_invalid_utf8(void **unused)
{
    (void)unused;
    expect("\"gr\303\274n\"", json_of_text("gr\303\274n"));
    expect("\"gr?n\"", json_of_text("gr\374n"));
    expect("\"ab\"", json_of_bytes("abc", 2));
}

static void of_seed__keeps_all_64_bits(void **unused)
{
    (void)unused;
    expect("9223372036854775807", json_of_seed(INT64_MAX));
    expect("\"9223372036854775808\"", json_of_seed((uint64_t)INT64_MAX + 1));
    expect("\"18446744073709551615\"", json_of_seed(UINT64_MAX));
}

static void put__adds_in_order(void **unused)
{
    json_t *o = json_object();

    (void)unused;
    json_put_text(o, "b", "x");
    json_put_count(o, "a", 3);
    json_put_number(o, "c", NAN);
    expect("{\"b\":\"x\",\"a\":3,\"c\":null}", o);
}

/* A field of each type; text that is missing is null, and true is not 1. */
static void field__takes_key_and_type_from_the_member(void **unused)
{
    const struct row {
        const char *name, *none;
        char        unit[4];
        double      share;
        float       half;
        uint32_t    count;
        uint64_t    bytes;
        bool        is_on;
    } r = { "x\xff", NULL, "us", 0.25, 0.5f, 7, 1ull << 40, true };
    json_t *list = json_array();

    (void)unused;
    JSON_ADD(list, JSON_FIELD(&r, name), JSON_FIELD(&r, none), JSON_FIELD(&r, unit), JSON_FIELD(&r, share),
             JSON_FIELD(&r, half), JSON_FIELD(&r, count), JSON_FIELD(&r, bytes), JSON_FIELD(&r, is_on));
    expect("[{\"name\":\"x?\",\"none\":null,\"unit\":\"us\",\"share\":0.25,\"half\":0.5,\"count\":7,"
           "\"bytes\":1099511627776,\"is_on\":true}]", list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_number__writes_null_for_nan_and_infinity),
        cmocka_unit_test(of_rounded__keeps_six_digits),
        cmocka_unit_test(of_text__replaces_invalid_utf8),
        cmocka_unit_test(of_seed__keeps_all_64_bits),
        cmocka_unit_test(put__adds_in_order),
        cmocka_unit_test(field__takes_key_and_type_from_the_member),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
