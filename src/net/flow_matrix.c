#include "net/flow_matrix.h"

#include <stdlib.h>

void flow_matrix_fini(struct flow_matrix *cm)
{
    free(cm->conn);
    free(cm->trigger);
    *cm = (struct flow_matrix){ 0 };
}
