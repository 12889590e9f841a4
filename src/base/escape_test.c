#include "base/escape.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

static void expect(const char *text, const char *want)
{
    char made[200];

    assert_ptr_equal(made, escape_text(made, sizeof(made), text));
    assert_string_equal(want, made);
}

static void text__leaves_what_can_be_read(void **unused)
{
    (void)unused;
    expect("", "");
    expect("scenarios/demo.yaml: 'a\\b' ~", "scenarios/demo.yaml: 'a\\b' ~");
    expect("Zürich ≥ 漢字 \xf0\x9f\x98\x80 e\xcc\x81", "Zürich ≥ 漢字 \xf0\x9f\x98\x80 e\xcc\x81");
    expect("\xc2\xa0 \xe2\x80\xa7 \xe2\x80\xaf", "\xc2\xa0 \xe2\x80\xa7 \xe2\x80\xaf");
    expect("\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf");
}

static void text__shows_what_a_terminal_would_obey(void **unused)
{
    (void)unused;
    expect("a\033[31mred\033]0;title\a", "a\\x1b[31mred\\x1b]0;title\\x07");
    expect("one\ntwo\r\tthree\b\x7f", "one\\ntwo\\r\\tthree\\x08\\x7f");
    expect("\xc2\x80\xc2\x9b" "31m\xc2\x9f", "\\u0080\\u009b31m\\u009f");
    expect("\xe2\x80\xa8\xe2\x80\xa9", "\\u2028\\u2029");
    expect("\xe2\x80\xae" "lmay\xe2\x81\xa6\xe2\x81\xa9\xd8\x9c\xe2\x80\x8f",
           "\\u202elmay\\u2066\\u2069\\u061c\\u200f");
}

/* RFC 3629, and the examples of Markus Kuhn's stress test: lone and missing continuations, overlong forms,
 * surrogates, too large, and Latin-1 with its own control characters. */
static void text__shows_bytes_that_are_not_utf8(void **unused)
{
    (void)unused;
    expect("\x9b" "31m", "\\x9b31m");
    expect("\xfcr", "\\xfcr");
    expect("\xc3", "\\xc3");
    expect("\xe2\x82", "\\xe2\\x82");
    expect("\xc3\033[m", "\\xc3\\x1b[m");
    expect("\xc0\x9b\xe0\x80\x9b\xf0\x80\x80\x9b", "\\xc0\\x9b\\xe0\\x80\\x9b\\xf0\\x80\\x80\\x9b");
    expect("\xed\xa0\x80", "\\xed\\xa0\\x80");
    expect("\xf4\x90\x80\x80\xff", "\\xf4\\x90\\x80\\x80\\xff");
}

/* Every byte, and every two: the text that is made has no control character, is not longer than promised, and
 * does not change when it is escaped once more. */
static void text__is_safe_for_all_bytes(void **unused)
{
    char text[3] = "", made[16], again[16];

    (void)unused;
    for (int first = 1; first < 256; first++)
        for (int second = 0; second < 256; second++) {
            text[0] = (char)first;
            text[1] = (char)second;
            escape_text(made, sizeof(made), text);
            assert_in_range(strlen(made), strlen(text), ESCAPE_GROWTH * strlen(text));
            for (const char *c = made; *c; c++)
                assert_false((unsigned char)*c < 0x20 || *c == 0x7f);
            /* C1, as UTF-8 or alone: only inside a longer character. */
            assert_false(made[0] == '\xc2' && (unsigned char)made[1] < 0xa0);
            assert_false(((unsigned char)made[0] & 0xc0) == 0x80);
            assert_string_equal(made, escape_text(again, sizeof(again), made));
        }
}

static void text__is_cut_between_characters(void **unused)
{
    char made[8];

    (void)unused;
    assert_string_equal("abc", escape_text(made, 4, "abcd"));
    assert_string_equal("ab", escape_text(made, 4, "ab\033"));
    assert_string_equal("ab", escape_text(made, 4, "ab\xc3\xa9"));
    assert_string_equal("ab\xc3\xa9", escape_text(made, 5, "ab\xc3\xa9z"));
    assert_string_equal("", escape_text(made, 1, "a"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text__leaves_what_can_be_read),
        cmocka_unit_test(text__shows_what_a_terminal_would_obey),
        cmocka_unit_test(text__shows_bytes_that_are_not_utf8),
        cmocka_unit_test(text__is_safe_for_all_bytes),
        cmocka_unit_test(text__is_cut_between_characters),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
