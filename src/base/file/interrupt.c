/* src/base/file/interrupt.c - see interrupt.h. The signal handler uses async-signal-safe functions only. */
#include "base/file/interrupt.h"
#include "base/file/scratch.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };

#define NUMBERS (sizeof(numbers) / sizeof(*numbers))

static _Atomic(const volatile uint64_t *) watched;

static char *append(char *to, const char *text)
{
    while (*text)
        *to++ = *text++;
    return to;
}

/* "1234.567us"; printf() is not allowed here. */
static char *append_us(char *to, uint64_t ps)
{
    char digits[32], *d = digits + sizeof(digits);
    uint64_t ns = ps / 1000;

    for (int i = 0; i < 4 || ns; i++, ns /= 10) {
        if (i == 3)
            *--d = '.';
        *--d = (char)('0' + ns % 10);
    }
    memcpy(to, d, (size_t)(digits + sizeof(digits) - d));
    return append(to + (digits + sizeof(digits) - d), "us");
}

static void on_signal(int number)
{
    const volatile uint64_t *now_ps = atomic_load(&watched);
    char line[96], *end = line;

    scratch_remove_all_on_signal();
    if (isatty(STDERR_FILENO))
        end = append(end, "\r\033[K");       /* clears a line of progress */
    end = append(end, "anole: interrupted");
    if (now_ps)
        end = append_us(append(end, " at "), *now_ps);
    end = append(end, "\n");
    if (write(STDERR_FILENO, line, (size_t)(end - line)) < 0)
        _exit(128 + number);
    _exit(128 + number);
}

/* nohup and background jobs of scripts ignore signals; this must stay so. */
static bool is_ignored(int number)
{
    struct sigaction was;

    return sigaction(number, NULL, &was) == 0 && was.sa_handler == SIG_IGN;
}

static void set_all(void (*handler)(int))
{
    struct sigaction action = { .sa_handler = handler };

    sigfillset(&action.sa_mask);
    for (unsigned i = 0; i < NUMBERS; i++)
        if (!is_ignored(numbers[i]))
            sigaction(numbers[i], &action, NULL);
}

static void mask_all(int how)
{
    sigset_t set;

    sigemptyset(&set);
    for (unsigned i = 0; i < NUMBERS; i++)
        sigaddset(&set, numbers[i]);
    sigprocmask(how, &set, NULL);
}

void interrupt_catch(void)
{
    set_all(on_signal);
}

void interrupt_hold(void)
{
    mask_all(SIG_BLOCK);
}

void interrupt_end(void)
{
    set_all(SIG_DFL);
    mask_all(SIG_UNBLOCK);
}

void interrupt_watch(const uint64_t *now_ps)
{
    atomic_store(&watched, now_ps);
}
