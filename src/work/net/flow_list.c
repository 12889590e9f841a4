#include "work/net/flow_list.h"

#include "base/err.h"

#include <stdlib.h>

void flow_list_fini(struct flow_list *flows)
{
    free(flows->flow);
    *flows = (struct flow_list){ 0 };
}

void flow_matrix_fini(struct flow_matrix *cm)
{
    free(cm->conn);
    free(cm->trigger);
    *cm = (struct flow_matrix){ 0 };
}

struct matrix_waiting *flow_matrix_waiting(const struct flow_matrix *m)
{
    struct matrix_waiting *waiting =
        xcalloc(1, (m->triggers + 1ul) * sizeof *waiting + m->conns * sizeof *waiting->conn);
    uint32_t *next = (uint32_t *)(waiting + m->triggers + 1);

    for (uint32_t i = 0; i < m->conns; i++)
        if (m->conn[i].trigger != MATRIX_NO_TRIGGER)
            waiting[m->conn[i].trigger].count++;
    for (uint32_t i = 0; i < m->triggers; next += waiting[i++].count)
        waiting[i].conn = next;
    for (uint32_t i = 0; i < m->triggers; i++)
        waiting[i].count = 0;
    for (uint32_t i = 0; i < m->conns; i++)
        if (m->conn[i].trigger != MATRIX_NO_TRIGGER) {
            struct matrix_waiting *w = &waiting[m->conn[i].trigger];

            w->conn[w->count++] = i;
        }
    return waiting;
}
