/* tests/fuzz/fuzz_htsim_cm.c - any text is a set of connections that all start eventually, or rejected with a
 * reason.
 */
#include "peers/htsim.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_trigger(const struct flow_matrix *cm, uint32_t trigger)
{
    if (trigger != MATRIX_NO_TRIGGER && trigger >= cm->triggers)
        abort();
}

static void check(const struct flow_matrix *cm)
{
    bool has_start = cm->conns == 0;

    for (uint32_t i = 0; i < cm->conns; i++) {
        const struct matrix_conn *c = &cm->conn[i];

        if (c->src >= cm->nodes || c->dst >= cm->nodes || c->src == c->dst || c->bytes == 0)
            abort();
        check_trigger(cm, c->trigger);
        check_trigger(cm, c->send_done);
        check_trigger(cm, c->recv_done);
        has_start |= c->trigger == MATRIX_NO_TRIGGER;
    }
    if (!has_start)
        abort();
    for (uint32_t i = 0; i < cm->triggers; i++)
        if (cm->trigger[i].id == 0 || (cm->trigger[i].kind == MATRIX_BARRIER && cm->trigger[i].count == 0))
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char           *text = memcpy(calloc(1, size + 1), data, size);
    struct err      err = { "" };
    struct flow_matrix cm;

    for (int i = 0; i < 2; i++)
        if ((i ? htsim_read_cm : htsim_read_uet_cm)("c", text, &cm, &err) == 0) {
            check(&cm);
            flow_matrix_fini(&cm);
        } else if (strncmp(err.text, "c:", 2) != 0) {
            abort();
        }
    free(text);
    return 0;
}
