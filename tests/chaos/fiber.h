/* tests/chaos/fiber.h - a function that can be left in the middle and gone on with later: a process that waits
 * in a system call while the world goes on. */
#ifndef TESTS_CHAOS_FIBER_H
#define TESTS_CHAOS_FIBER_H

#include <stdbool.h>

struct fiber;

struct fiber *fiber_new(void);
void          fiber_free(struct fiber *);        /* must not be suspended */

/* Runs the function until it returns or suspends itself. Returns whether it has returned. */
bool fiber_start(struct fiber *, void (*run)(void *), void *arg);
bool fiber_resume(struct fiber *);

void fiber_suspend(struct fiber *);              /* called within the function */

#endif
