#include "net/flow_list.h"

#include <stdlib.h>

void flow_list_fini(struct flow_list *flows)
{
    free(flows->flow);
    *flows = (struct flow_list){ 0 };
}
