/* tests/fuzz/fuzz_links.c - any text is a list of links between existing nodes, or rejected with a reason. */
#include "live/links/links.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct links *l)
{
    for (uint32_t i = 0; i < l->nodes; i++)
        if (!*l->node[i] || strpbrk(l->node[i], " \n\t") ||
            links_find(l, l->node[i], strlen(l->node[i])) != i)
            abort();
    for (uint32_t i = 0; i < l->links; i++)
        if (l->link[i].end[0].node >= l->nodes || l->link[i].end[1].node >= l->nodes ||
            l->link[i].end[0].node == l->link[i].end[1].node)
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err   err = { "" };
    struct links l;

    if (links_parse(&l, "l", (const char *)data, size, &err) == 0)
        check(&l);
    else if (strncmp(err.text, "l:", 2) != 0)
        abort();
    links_fini(&l);
    return 0;
}
