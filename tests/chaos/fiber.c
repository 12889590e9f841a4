/* tests/chaos/fiber.c - see fiber.h. */
#include "fiber.h"
#include "base/err.h"

#include <stdlib.h>
#include <ucontext.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#else
#define __sanitizer_start_switch_fiber(save, bottom, size)      ((void)(save), (void)(bottom), (void)(size))
#define __sanitizer_finish_switch_fiber(save, bottom, size)     ((void)(save), (void)(bottom), (void)(size))
#endif

#define STACK_SIZE (1ul << 20)

struct fiber {
    ucontext_t  outside, inside;
    char       *stack;
    void      (*run)(void *);
    void       *arg;
    bool        is_done;

    /* for AddressSanitizer */
    void       *outside_fake, *inside_fake;
    const void *outside_bottom;
    size_t      outside_size;
};

struct fiber *fiber_new(void)
{
    struct fiber *f = xcalloc(1, sizeof *f);

    f->stack = xmalloc(STACK_SIZE);
    return f;
}

void fiber_free(struct fiber *f)
{
    if (f)
        free(f->stack);
    free(f);
}

static void enter(unsigned high, unsigned low)
{
    struct fiber *f = (struct fiber *)((unsigned long)high << 32 | low);

    __sanitizer_finish_switch_fiber(NULL, &f->outside_bottom, &f->outside_size);
    f->run(f->arg);
    f->is_done = true;
    __sanitizer_start_switch_fiber(NULL, f->outside_bottom, f->outside_size);
    swapcontext(&f->inside, &f->outside);
}

static bool go_in(struct fiber *f)
{
    __sanitizer_start_switch_fiber(&f->outside_fake, f->stack, STACK_SIZE);
    swapcontext(&f->outside, &f->inside);
    __sanitizer_finish_switch_fiber(f->outside_fake, NULL, NULL);
    return f->is_done;
}

bool fiber_start(struct fiber *f, void (*run)(void *), void *arg)
{
    unsigned long address = (unsigned long)f;

    f->run = run;
    f->arg = arg;
    f->is_done = false;
    getcontext(&f->inside);
    f->inside.uc_stack.ss_sp = f->stack;
    f->inside.uc_stack.ss_size = STACK_SIZE;
    f->inside.uc_link = NULL;
    makecontext(&f->inside, (void (*)(void))enter, 2, (unsigned)(address >> 32), (unsigned)address);
    return go_in(f);
}

bool fiber_resume(struct fiber *f)
{
    return go_in(f);
}

void fiber_suspend(struct fiber *f)
{
    __sanitizer_start_switch_fiber(&f->inside_fake, f->outside_bottom, f->outside_size);
    swapcontext(&f->inside, &f->outside);
    __sanitizer_finish_switch_fiber(f->inside_fake, &f->outside_bottom, &f->outside_size);
}
