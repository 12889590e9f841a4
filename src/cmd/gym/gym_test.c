/* src/cmd/gym/gym_test.c - messages byte by byte, as documented in docs/gym.md. */
#include "cmd/gym/gym.h"

#include "cmd/gym/test_world.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static const uint8_t hello[] = { 'A', 'G', 'Y', 'M', 1, 0, 0, 0 };
static const uint8_t seed_7[] = { 7, 0, 0, 0, 0, 0, 0, 0 };

static uint32_t u32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static float f32(const uint8_t *at)
{
    uint32_t bits = u32(at);
    float value;

    memcpy(&value, &bits, 4);
    return value;
}

static void greet(struct gym_session *s, struct test_world *w)
{
    struct gym_world world = test_world_of(w);

    gym_session_init(s, &world);
    assert_int_equal(0, gym_session_take(s, GYM_HELLO, hello, sizeof(hello), NULL));
}

static void check_error(struct gym_session *s, const struct err *err, const char *want)
{
    assert_string_equal(want, err->text);
    assert_int_equal(GYM_ERROR, u32(s->reply.bytes));
    assert_int_equal(strlen(want), u32(s->reply.bytes + 4));
    assert_memory_equal(want, s->reply.bytes + 8, strlen(want));
    assert_int_equal(8 + strlen(want), s->reply.length);
    assert_true(s->is_closed);
    gym_session_fini(s);
}

static void hello__is_answered_with_welcome(void **unused)
{
    static const uint8_t want[] = {
        129, 0, 0, 0, 28, 0, 0, 0,  1, 0, 0, 0,  4, 0, 0, 0,
        0x55, 0x55, 0x55, 0x3f,                  /* 0.8333333 */
        0x9a, 0x99, 0x99, 0x3f,                  /* 1.2 */
        1, 0, 0, 0,  4, 0, 0, 0, 't', 'e', 's', 't',
    };
    struct test_world w = { .batches_max = 3 };
    struct gym_session s;

    (void)unused;
    greet(&s, &w);
    assert_int_equal(sizeof(want), s.reply.length);
    assert_memory_equal(want, s.reply.bytes, sizeof(want));
    gym_session_fini(&s);
}

static void reset__is_answered_with_columns(void **unused)
{
    struct test_world w = { .batches_max = 3 };
    struct gym_session s;
    const uint8_t *p;

    (void)unused;
    greet(&s, &w);
    assert_int_equal(0, gym_session_take(&s, GYM_RESET, seed_7, 8, NULL));
    p = s.reply.bytes;
    assert_int_equal(GYM_BATCH, u32(p));
    assert_int_equal(56 + 5 * 8 * 4, u32(p + 4));
    assert_int_equal(s.reply.length, 8 + u32(p + 4));
    p += 8;
    assert_int_equal(1000, u32(p));              /* now_ps */
    assert_int_equal(UINT32_MAX, u32(p + 8));    /* end_ps */
    assert_int_equal(1, u32(p + 16));            /* steps */
    assert_int_equal(5, u32(p + 40));
    assert_int_equal(5, u32(p + 44));
    assert_int_equal(0, u32(p + 48));
    p += 56;
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(i, u32(p + 4 * i));
        assert_true(f32(p + 20 + 16 * i) == 1 && f32(p + 20 + 16 * i + 12) == 7 + (float)i);
        assert_true(f32(p + 100 + 4 * i) == -(7 + (float)i) * (7 + (float)i));
        assert_true(f32(p + 120 + 4 * i) == 0.5f && f32(p + 140 + 4 * i) == 9);
    }
    gym_session_fini(&s);
}

static void act__reaches_the_agents_of_the_batch(void **unused)
{
    static const uint8_t five[8 + 20] = {
        5, 0,    0, 0, 0,    0,    0, 0, 0,    0,    0x80, 0x3f, 0,    0,
        0, 0x40, 0, 0, 0x80, 0x3f, 0, 0, 0x80, 0x3f, 0,    0,    0x80, 0x3f
    }; /* 1, 2, 1, 1, 1 */
    static const uint8_t two[8 + 8] = { 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x40, 0, 0, 0x80, 0x3f }; /* 2, 1 */
    struct test_world w = { .batches_max = 2 };
    struct gym_session s;
    struct err err;

    (void)unused;
    greet(&s, &w);
    gym_session_take(&s, GYM_RESET, seed_7, 8, NULL);
    assert_int_equal(0, gym_session_take(&s, GYM_ACT, five, sizeof(five), NULL));
    assert_true(w.x[0] == 7 && w.x[1] == 16 && w.x[2] == 9);
    assert_int_equal(2, u32(s.reply.bytes + 8 + 40));
    assert_int_equal(3, u32(s.reply.bytes + 8 + 56 + 4));        /* agents 1 and 3 */
    assert_int_equal(0, gym_session_take(&s, GYM_ACT, two, sizeof(two), NULL));
    assert_true(w.x[1] == 32 && w.x[3] == 10);
    assert_int_equal(1, u32(s.reply.bytes + 8 + 48));            /* over */
    assert_int_equal(0, u32(s.reply.bytes + 8 + 40));
    assert_int_equal(-EPROTO, gym_session_take(&s, GYM_ACT, two, sizeof(two), &err));
    check_error(&s, &err, "ACT without a batch to act on; a scenario that is over begins again with RESET");
}

/* Little-endian bits of NaN, infinity, -1, 0, 1e9, 0.0099 and 100.01, instead of the last of five. */
static void act__refuses_what_is_no_multiplier(void **unused)
{
    static const struct { uint8_t bits[4]; const char *error; } rows[] = {
        { { 0, 0, 0xc0, 0x7f }, "action 4 is nan; a multiplier must be 0.01 .. 100" },
        { { 0, 0, 0x80, 0x7f }, "action 4 is inf; a multiplier must be 0.01 .. 100" },
        { { 0, 0, 0x80, 0xbf }, "action 4 is -1; a multiplier must be 0.01 .. 100" },
        { { 0, 0, 0, 0 },       "action 4 is 0; a multiplier must be 0.01 .. 100" },
        { { 0x28, 0x6b, 0x6e, 0x4e }, "action 4 is 1e+09; a multiplier must be 0.01 .. 100" },
        { { 0x9c, 0x33, 0x22, 0x3c }, "action 4 is 0.0099; a multiplier must be 0.01 .. 100" },
        { { 0x1f, 0x05, 0xc8, 0x42 }, "action 4 is 100.01; a multiplier must be 0.01 .. 100" },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint8_t five[8 + 20] = { 5 };
        struct test_world w = { .batches_max = 2 };
        struct gym_session s;
        struct err err;

        for (int j = 0; j < 4; j++)
            memcpy(five + 8 + 4 * j, (const uint8_t[]){ 0, 0, 0x80, 0x3f }, 4);
        memcpy(five + 24, rows[i].bits, 4);
        greet(&s, &w);
        gym_session_take(&s, GYM_RESET, seed_7, 8, NULL);
        assert_int_equal(-EINVAL, gym_session_take(&s, GYM_ACT, five, sizeof(five), &err));
        assert_true(w.x[0] == 7 && w.x[4] == 11);                /* nobody has acted */
        check_error(&s, &err, rows[i].error);
    }
}

static void reset__works_at_any_time(void **unused)
{
    struct test_world w = { .batches_max = 0 };
    struct gym_session s;

    (void)unused;
    greet(&s, &w);
    for (uint32_t i = 1; i <= 3; i++) {
        assert_int_equal(0, gym_session_take(&s, GYM_RESET, seed_7, 8, NULL));
        assert_int_equal(i, w.resets);
    }
    assert_int_equal(1, u32(s.reply.bytes + 8 + 48));
    gym_session_fini(&s);
}

static void take__refuses_in_one_line(void **unused)
{
    static const uint8_t other[8] = "ACME\1\0\0", newer[8] = { 'A', 'G', 'Y', 'M', 9, 0, 0, 0 };
    static const uint8_t bad_seed[8] = { 666 & 255, 666 >> 8 }, four[24] = { 4 };
    struct test_world w = { .batches_max = 9 };
    struct gym_world world = test_world_of(&w);
    struct gym_session s;
    struct err err;

    (void)unused;
    gym_session_init(&s, &world);
    assert_true(gym_session_take(&s, GYM_RESET, seed_7, 8, &err) < 0);
    check_error(&s, &err, "RESET before HELLO");
    gym_session_init(&s, &world);
    assert_true(gym_session_take(&s, GYM_HELLO, other, 8, &err) < 0);
    check_error(&s, &err, "this is not a client of anole gym");
    gym_session_init(&s, &world);
    assert_true(gym_session_take(&s, GYM_HELLO, newer, 8, &err) < 0);
    check_error(&s, &err, "the client speaks version 9 of the protocol, this program version 1");
    greet(&s, &w);
    assert_true(gym_session_take(&s, GYM_ACT, four, 8, &err) < 0);
    check_error(&s, &err, "ACT without a batch to act on; a scenario that is over begins again with RESET");
    greet(&s, &w);
    gym_session_take(&s, GYM_RESET, seed_7, 8, &err);
    assert_true(gym_session_take(&s, GYM_ACT, four, 24, &err) < 0);
    check_error(&s, &err, "ACT for 4 agents in 24 bytes; 5 wait for an action");
    greet(&s, &w);
    assert_true(gym_session_take(&s, GYM_RESET, bad_seed, 8, &err) < 0);
    check_error(&s, &err, "this seed bears no fruit");
}

static void head__refuses_invalid_types_and_sizes(void **unused)
{
    static const struct { uint8_t head[8]; int rc; const char *why;
    } row[] = {
        { { 1, 0, 0, 0, 8, 0, 0, 0 }, 0, NULL },
        { { 3, 0, 0, 0, 12, 0, 0, 0 }, 0, NULL },
        { { 4, 0, 0, 0, 0, 0, 0, 0 }, 0, NULL },
        { { 0, 0, 0, 0, 0, 0, 0, 0 }, -EPROTO,
          "there is no message of type 0; is this a client of anole gym?" },
        { { 130, 0, 0, 0, 0, 0, 0, 0 }, -EPROTO,
          "there is no message of type 130; is this a client of anole gym?" },
        { { 'G', 'E', 'T', ' ', 0, 0, 0, 0 }, -EPROTO,
          "there is no message of type 542393671; is this a client of anole "
          "gym?" },
        { { 2, 0, 0, 0, 9, 0, 0, 0 }, -EPROTO, "a message RESET cannot have 9 bytes" },
        { { 3, 0, 0, 0, 4, 0, 0, 0 }, -EPROTO, "a message ACT cannot have 4 bytes" },
        { { 3, 0, 0, 0, 255, 255, 255, 255 }, -EPROTO, "a message ACT cannot have 4294967295 bytes" },
    };

    (void)unused;
    for (uint32_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
        uint32_t type, bytes;
        struct err err;

        assert_int_equal(row[i].rc, gym_head_parse(row[i].head, &type, &bytes, &err));
        if (row[i].rc)
            assert_string_equal(row[i].why, err.text);
    }
}

static void close__ends_the_session(void **unused)
{
    struct test_world w = { .batches_max = 3 };
    struct gym_session s;

    (void)unused;
    greet(&s, &w);
    assert_int_equal(0, gym_session_take(&s, GYM_CLOSE, hello, 0, NULL));
    assert_true(s.is_closed);
    assert_int_equal(0, s.reply.length);
    gym_session_fini(&s);
}

static void ignore(int number)
{
    (void)number;
}

/* Interrupts the server while it waits, then says hello. Returns whether the server answers. */
static bool knock(const struct sockaddr_un *address)
{
    uint8_t head[8] = { 0 };
    int     fd = socket(AF_UNIX, SOCK_STREAM, 0);

    usleep(50000);
    kill(getppid(), SIGUSR1);
    usleep(50000);
    return connect(fd, (const struct sockaddr *)address, sizeof *address) == 0 &&
           write(fd, (const uint8_t[]){ GYM_HELLO, 0, 0, 0, 8, 0, 0, 0 }, 8) == 8 &&
           write(fd, hello, sizeof hello) == sizeof hello && read(fd, head, sizeof head) == sizeof head &&
           u32(head) == GYM_WELCOME;
}

static void serve_socket__a_signal_is_not_a_client(void **unused)
{
    struct test_world  w = { .batches_max = 3 };
    struct gym_world   world = test_world_of(&w);
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    struct err         err;
    int                listener, status;

    (void)unused;
    snprintf(address.sun_path, sizeof address.sun_path, "/tmp/gym_test.%d", (int)getpid());
    sigaction(SIGUSR1, &(struct sigaction){ .sa_handler = ignore }, NULL);
    assert_int_equal(0, gym_listen(address.sun_path, &listener, &err));
    pid_t client = fork();
    if (client == 0)
        _exit(knock(&address) ? 0 : 1);
    assert_int_equal(0, gym_serve_socket(&world, listener, 1, &err));
    close(listener);
    unlink(address.sun_path);
    assert_int_equal(client, waitpid(client, &status, 0));
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hello__is_answered_with_welcome),
        cmocka_unit_test(reset__is_answered_with_columns),
        cmocka_unit_test(act__reaches_the_agents_of_the_batch),
        cmocka_unit_test(act__refuses_what_is_no_multiplier),
        cmocka_unit_test(reset__works_at_any_time),
        cmocka_unit_test(take__refuses_in_one_line),
        cmocka_unit_test(head__refuses_invalid_types_and_sizes),
        cmocka_unit_test(close__ends_the_session),
        cmocka_unit_test(serve_socket__a_signal_is_not_a_client),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
