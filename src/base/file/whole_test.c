/* src/base/file/whole_test.c - data larger than a pipe's or socket's buffer arrives completely, and writing
 * to a closed end raises no signal. */
#include "base/file/whole.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BYTES (4u << 20)

static unsigned char sent[BYTES], got[BYTES];

static void *write_it(void *fd)
{
    return whole_write(*(int *)fd, sent, BYTES) ? fd : NULL;
}

static void pass(int out, int in)
{
    pthread_t thread;
    void     *result;

    memset(got, 0, BYTES);
    assert_int_equal(pthread_create(&thread, NULL, write_it, &out), 0);
    assert_true(whole_read(in, got, BYTES));
    pthread_join(thread, &result);
    assert_non_null(result);
    assert_memory_equal(sent, got, BYTES);
}

static void read_and_write__more_than_a_buffer(void **unused)
{
    int fd[2];

    (void)unused;
    for (size_t i = 0; i < BYTES; i++)
        sent[i] = (unsigned char)(i * 2654435761u >> 24);
    assert_int_equal(pipe(fd), 0);
    pass(fd[1], fd[0]);
    close(fd[0]), close(fd[1]);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
    pass(fd[1], fd[0]);
    close(fd[0]), close(fd[1]);
}

static void read_and_write__the_other_end_is_closed(void **unused)
{
    int fd[2];

    (void)unused;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
    assert_true(whole_write(fd[0], "abc", 3));
    close(fd[0]);
    assert_false(whole_read(fd[1], got, 4));
    assert_false(whole_write(fd[1], "abc", 3));          /* SIGPIPE would end this program */
    close(fd[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read_and_write__more_than_a_buffer),
            cmocka_unit_test(read_and_write__the_other_end_is_closed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
