#include "live/links/links.h"
#include "base/text.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_BYTES_MAX (16ul << 20)

static const struct key_row keys[] = {
    { "links", KEY_LIST, "", "'DEVICE[:PORT] - DEVICE[:PORT]', one for each link" },
    { 0 },
};

static void keep_key(void *key)
{
    (void)key;                   /* part of an array */
}

void links_fini(struct links *l)
{
    tdestroy(l->by_name, keep_key);
    free(l->node);
    free(l->link);
    *l = (struct links){ 0 };
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(a, b);
}

uint32_t links_find(const struct links *l, const char *name, size_t length)
{
    char  whole[MSG_NAME_SIZE];
    void *at;

    if (length >= sizeof whole)
        return LINKS_NONE;
    snprintf(whole, sizeof whole, "%.*s", (int)length, name);
    at = tfind(whole, &l->by_name, compare_names);
    return at ? (uint32_t)(*(char (**)[MSG_NAME_SIZE])at - l->node) : LINKS_NONE;
}

/* The array has room for the nodes of all links. */
static uint32_t add_node(struct links *l, const char *name, size_t length)
{
    uint32_t i = links_find(l, name, length);

    if (i != LINKS_NONE)
        return i;
    snprintf(l->node[l->nodes], sizeof *l->node, "%.*s", (int)length, name);
    tsearch(l->node[l->nodes], &l->by_name, compare_names);
    return l->nodes++;
}

/* No spaces, nothing invisible. */
static bool is_name(const char *text, size_t length, size_t most)
{
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] <= ' ' || text[i] == 127)
            return false;
    return length && length < most;
}

/* "tor1:Ethernet4": the port follows the last colon. */
static bool take_end(struct links *l, const char *text, size_t length, struct link_end *end)
{
    const char *colon = memrchr(text, ':', length);
    size_t      name = colon ? (size_t)(colon - text) : length, port = colon ? length - name - 1 : 0;

    *end = (struct link_end){ 0 };
    if (!is_name(text, name, MSG_NAME_SIZE) || (colon && !is_name(colon + 1, port, MSG_PORT_NAME_SIZE)))
        return false;
    if (colon)
        memcpy(end->port, colon + 1, port);
    end->node = add_node(l, text, name);
    return true;
}

static int compare_ends(const void *a, const void *b)
{
    const struct link_end *x = a, *y = b;

    return x->node != y->node ? (x->node > y->node) - (x->node < y->node) : strcmp(x->port, y->port);
}

/* A named port has one link; a device without a named port any number. */
static void check_ports(struct reader *r, const struct yaml_node *n, struct links *l, void **ports)
{
    for (uint32_t side = 0; side < 2 && !r->rc; side++) {
        struct link_end *e = &l->link[l->links].end[side];

        if (*e->port && *(struct link_end **)tsearch(e, ports, compare_ends) != e)
            reader_refuse(r, n, "%s:%s has another link already", l->node[e->node], e->port);
    }
}

static void add_link(struct reader *r, const struct yaml_node *n, struct links *l, void **ports)
{
    const char  *dash = n->kind == YAML_SCALAR ? strstr(n->text, " - ") : NULL;
    const char  *right = dash ? dash + 3 + strspn(dash + 3, " ") : NULL;
    struct link *link = &l->link[l->links];

    while (dash && dash > n->text && dash[-1] == ' ')
        dash--;
    if (!dash || !take_end(l, n->text, (size_t)(dash - n->text), &link->end[0]) ||
        !take_end(l, right, strlen(right), &link->end[1])) {
        reader_refuse(r, n,
                      "a link is 'DEVICE - DEVICE' or 'DEVICE:PORT - DEVICE:PORT', with spaces around the "
                      "dash");
        return;
    }
    if (link->end[0].node == link->end[1].node)
        reader_refuse(r, n, "%s is joined to itself", l->node[link->end[0].node]);
    check_ports(r, n, l, ports);
    l->links++;
}

int links_parse(struct links *l, const char *name, const char *text, size_t length, struct err *err)
{
    struct yaml_doc doc;
    struct reader   r = { .name = name, .what = "a list of links", .err = err };
    void           *ports = NULL;                /* tree of ends that name a port */
    int             rc = yaml_parse(&doc, name, text, length, err);

    *l = (struct links){ 0 };
    if (rc)
        return rc;
    struct section s = section_open(&r, doc.root, &(struct section){ .name = "", .own = keys });
    const struct yaml_node *list = section_need(&s, "links") ? section_list(&s, "links", LINKS_MAX) : NULL;
    if (list) {
        l->link = xcalloc(section_get(&s, "links")->count, sizeof *l->link);
        l->node = xcalloc(2ul * section_get(&s, "links")->count, sizeof *l->node);
    }
    for (; list && !r.rc; list = list->next)
        add_link(&r, list, l, &ports);
    tdestroy(ports, keep_key);
    yaml_fini(&doc);
    if (r.rc)
        links_fini(l);
    return r.rc;
}

/* Errors have their own place in the file. */
void links_read_named(const struct section *s, const char *key, struct links *l)
{
    char      *path = section_get(s, key) ? section_file(s, key) : NULL, *text = NULL;
    size_t     length = 0;
    struct err why;

    if (!path)
        return;
    *l = (struct links){ 0 };
    int rc = text_read_file(path, FILE_BYTES_MAX, &text, &length, &why);
    if (!rc)
        rc = links_parse(l, path, text, length, &why);
    if (rc)
        reader_keep(s->r, rc, &why, section_get(s, key));
    free(text);
    free(path);
}
