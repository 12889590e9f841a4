#include "sim/parts/nap.h"

#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NAP_NS 1000000

void nap_while(_Atomic uint32_t *word, uint32_t is)
{
    struct timespec moment = { 0, NAP_NS };

    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, is, &moment, NULL, 0);
}

void nap_wake(_Atomic uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
}
