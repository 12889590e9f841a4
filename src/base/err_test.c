#include "base/err.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void err_set__fills_the_text_and_returns_the_code(void **unused)
{
    struct err err;

    (void)unused;
    assert_int_equal(-ENOENT, err_set(&err, ENOENT, "%s:%d: not found", "a.yaml", 12));
    assert_string_equal("a.yaml:12: not found", err.text);
}

static void err_set__accepts_null(void **unused)
{
    (void)unused;
    assert_int_equal(-EINVAL, err_set(NULL, EINVAL, "%s", "lost"));
}

static void err_set__cuts_a_long_text(void **unused)
{
    struct err err;

    (void)unused;
    err_set(&err, EINVAL, "%s%01000d%s", "<", 7, ">");
    assert_int_equal(sizeof(err.text) - 1, strlen(err.text));
    assert_int_equal('<', err.text[0]);
}

static void err_set__stays_one_line(void **unused)
{
    struct err err;

    (void)unused;
    err_set(&err, EINVAL, "'%s' is no time", "5\nus\033[31m\x7f\xc3\xa9\x9b");
    assert_string_equal("'5\\nus\\x1b[31m\\x7f\xc3\xa9\\x9b' is no time", err.text);
}

static void err_set__may_quote_its_own_text(void **unused)
{
    struct err err;

    (void)unused;
    err_set(&err, EINVAL, "is not a time");
    err_set(&err, EINVAL, "%s: %s", "a.yaml", err.text);
    assert_string_equal("a.yaml: is not a time", err.text);
}

/* Runs 'act' in a child and stores its standard error in 'said'. Returns the exit code, or -1. */
static int run(void (*act)(void), char *said, size_t size)
{
    int pipe_ends[2], status;
    size_t used = 0;
    ssize_t got;
    pid_t child;

    assert_int_equal(0, pipe(pipe_ends));
    child = fork();
    if (child == 0) {
        dup2(pipe_ends[1], STDERR_FILENO);
        act();
        _exit(99);
    }
    close(pipe_ends[1]);
    while ((got = read(pipe_ends[0], said + used, size - 1 - used)) > 0)
        used += (size_t)got;
    said[used] = '\0';
    close(pipe_ends[0]);
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void die_now(void)
{
    die("no %s", "way\033c");
}

static void die__prints_the_reason_and_exits(void **unused)
{
    char said[200];

    (void)unused;
    assert_int_equal(EXIT_FAILURE, run(die_now, said, sizeof(said)));
    assert_string_equal("anole: no way\\x1bc\n", said);
}

static void request_too_much(void)
{
    xcalloc((1ul << 63) + 1, 2);             /* 2 bytes if the product wrapped around */
}

static void xcalloc__ends_the_program_when_the_product_wraps(void **unused)
{
    char said[200];

    (void)unused;
    assert_int_equal(EXIT_FAILURE, run(request_too_much, said, sizeof(said)));
    assert_non_null(strstr(said, "no memory"));
}

static void xalloc_lines__is_zeroed_and_starts_at_a_cache_line(void **unused)
{
    static const char zeros[130];

    (void)unused;
    for (unsigned long bytes = 0; bytes <= sizeof zeros; bytes++) {
        char *memory = xalloc_lines(bytes);

        assert_int_equal(0, (unsigned long)memory % 64);
        assert_memory_equal(zeros, memory, bytes);
        free(memory);
    }
}

static void xmalloc__accepts_size_zero(void **unused)
{
    char *none = xmalloc(0), *zeroed = xcalloc(0, 8), *some = xrealloc(NULL, 3);

    (void)unused;
    assert_non_null(none);
    assert_non_null(zeroed);
    memcpy(some, "ab", 3);
    some = xrealloc(some, 1000);
    assert_string_equal("ab", some);
    free(none);
    free(zeroed);
    free(some);
}

static void xcalloc__zeroes(void **unused)
{
    unsigned char *memory = xcalloc(100, 3), sum = 0;

    (void)unused;
    for (int i = 0; i < 300; i++)
        sum |= memory[i];
    assert_int_equal(0, sum);
    free(memory);
}

static void xstrdup__copies(void **unused)
{
    char word[] = "knob", *copy = xstrdup(word);

    (void)unused;
    word[0] = 's';
    assert_string_equal("knob", copy);
    free(copy);
}

/* Seven elements; the capacity is 3 at first, then 6, then 12. Elements keep their values. */
static void xgrow__doubles_a_full_array(void **unused)
{
    static const uint32_t room[] = { 3, 3, 3, 6, 6, 6, 12 };
    uint32_t             *number = NULL, max = 0;

    (void)unused;
    for (uint32_t i = 0; i < 7; i++) {
        number = xgrow(number, i, &max, 3, sizeof *number);
        assert_int_equal(max, room[i]);
        number[i] = i;
    }
    for (uint32_t i = 0; i < 7; i++)
        assert_int_equal(number[i], i);
    free(number);
}

/* ---- escape ---- */

static void expect(const char *text, const char *want)
{
    char made[200];

    assert_ptr_equal(made, escape_text(made, sizeof(made), text));
    assert_string_equal(want, made);
}

static void text__keeps_printable_characters(void **unused)
{
    (void)unused;
    expect("", "");
    expect("scenarios/demo.yaml: 'a\\b' ~", "scenarios/demo.yaml: 'a\\b' ~");
    expect("Zürich ≥ 漢字 \xf0\x9f\x98\x80 e\xcc\x81", "Zürich ≥ 漢字 \xf0\x9f\x98\x80 e\xcc\x81");
    expect("\xc2\xa0 \xe2\x80\xa7 \xe2\x80\xaf", "\xc2\xa0 \xe2\x80\xa7 \xe2\x80\xaf");
    expect("\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf");
}

static void text__escapes_terminal_controls(void **unused)
{
    (void)unused;
    expect("a\033[31mred\033]0;title\a", "a\\x1b[31mred\\x1b]0;title\\x07");
    expect("one\ntwo\r\tthree\b\x7f", "one\\ntwo\\r\\tthree\\x08\\x7f");
    expect("\xc2\x80\xc2\x9b" "31m\xc2\x9f", "\\u0080\\u009b31m\\u009f");
    expect("\xe2\x80\xa8\xe2\x80\xa9", "\\u2028\\u2029");
    expect("\xe2\x80\xae" "lmay\xe2\x81\xa6\xe2\x81\xa9\xd8\x9c\xe2\x80\x8f",
           "\\u202elmay\\u2066\\u2069\\u061c\\u200f");
}

/* RFC 3629, and examples of Markus Kuhn's stress test: lone and missing continuation bytes, overlong forms,
 * surrogates, code points that are too large, and Latin-1 with its control characters. */
static void text__escapes_invalid_utf8(void **unused)
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

/* All single bytes and all pairs: escaped text has no control characters, has at most the documented length,
 * and does not change when it is escaped again. */
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
            /* C1 control characters, as UTF-8 or single bytes, only occur inside longer characters. */
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
        cmocka_unit_test(err_set__fills_the_text_and_returns_the_code),
        cmocka_unit_test(err_set__accepts_null),
        cmocka_unit_test(err_set__cuts_a_long_text),
        cmocka_unit_test(err_set__stays_one_line),
        cmocka_unit_test(err_set__may_quote_its_own_text),
        cmocka_unit_test(die__prints_the_reason_and_exits),
        cmocka_unit_test(xcalloc__ends_the_program_when_the_product_wraps),
        cmocka_unit_test(xalloc_lines__is_zeroed_and_starts_at_a_cache_line),
        cmocka_unit_test(xmalloc__accepts_size_zero),
        cmocka_unit_test(xcalloc__zeroes),
        cmocka_unit_test(xstrdup__copies),
        cmocka_unit_test(xgrow__doubles_a_full_array),
        cmocka_unit_test(text__keeps_printable_characters),
        cmocka_unit_test(text__escapes_terminal_controls),
        cmocka_unit_test(text__escapes_invalid_utf8),
        cmocka_unit_test(text__is_safe_for_all_bytes),
        cmocka_unit_test(text__is_cut_between_characters),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
