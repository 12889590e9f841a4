/* tests/export/main_tree.c - evaluates STATES states and FLOWS flows and prints two digests of the decisions.
 * Compiled with EXPORTED, the name of a file that tree_export() wrote, without any library.
 */
#include EXPORTED

#include "freestanding.h"
#include "states.h"

static uint64_t digest_trees(void)
{
    uint64_t x = STATES_BEGIN, digest = DIGEST_BEGIN;

    for (uint64_t i = 0; i < STATES; i++) {
        int16_t f[4];

        states_draw(&x, f);
        digest = digest_add_value(digest, (uint32_t)rlcc_tree(f[0], f[1], f[2], f[3]));
    }
    return digest;
}

static uint64_t digest_flows(void)
{
    uint64_t x = STATES_BEGIN, digest = DIGEST_BEGIN;

    for (uint64_t i = 0; i < FLOWS; i++) {
        struct rlcc_flow flow;

        rlcc_start(&flow, (uint32_t)(states_next(&x) >> 32));
        for (int j = 0; j < 100; j++)
            digest = digest_add_value(digest, rlcc_decide(&flow, &rlcc_params_default, states_rtt_ns(&x)));
    }
    return digest;
}

void _start(void)
{
    if (STATES)
        print_hex(digest_trees());
    if (FLOWS)
        print_hex(digest_flows());
    end(0);
}
