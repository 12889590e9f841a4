/* tests/export/main_count.c - decides COUNT times in each of 500 states, by the trees alone or, with WHOLE,
 * by the whole rule. The difference between two COUNTs gives the instruction count.
 */
#include EXPORTED

#include "freestanding.h"
#include "states.h"

/* Hides the value from the compiler, so that it cannot drop a call. */
static inline void use(uint32_t value)
{
    __asm__ volatile("" : : "r"(value) : "memory");
}

void _start(void)
{
    uint64_t x = STATES_BEGIN;
    struct rlcc_flow flow;

    rlcc_start(&flow, RLCC_RATE_ONE / 8);
    for (int i = 0; i < 500; i++) {
        uint32_t rtt_ns;
        int16_t f[4];

        states_draw(&x, f);
        rtt_ns = states_rtt_ns(&x);
        for (int j = 0; j < COUNT; j++) {
            int32_t a = f[0], b = f[1], c = f[2], d = f[3];

            __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d) : : "memory");
            use(WHOLE ? rlcc_decide(&flow, &rlcc_params_default, rtt_ns) : (uint32_t)rlcc_tree(a, b, c, d));
        }
    }
    end(0);
}
