#include "live/links/links.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

#define FILE_BYTES_MAX (16ul << 20)

static const struct key_row keys[] = {
    { "links", KEY_LIST, "", "'DEVICE[:PORT] - DEVICE[:PORT]', one for each link" },
    { 0 },
};

void links_fini(struct links *l)
{
    free(l->node);
    free(l->link);
    finder_fini(&l->by_name);
    *l = (struct links){ 0 };
}

uint32_t links_find(const struct links *l, const char *name, size_t length)
{
    uint32_t at = 0, i;

    while ((i = finder_next(&l->by_name, finder_hash(name, length), &at)) != FINDER_NONE)
        if (strlen(l->node[i]) == length && memcmp(l->node[i], name, length) == 0)
            return i;
    return FINDER_NONE;
}

static uint32_t add_node(struct links *l, const char *name, size_t length)
{
    uint32_t i = links_find(l, name, length);

    if (i != FINDER_NONE)
        return i;
    if ((l->nodes & (l->nodes - 1)) == 0)
        l->node = xrealloc(l->node, (l->nodes ? 2ul * l->nodes : 1) * sizeof *l->node);
    memcpy(l->node[l->nodes], name, length);
    l->node[l->nodes][length] = '\0';
    finder_add(&l->by_name, finder_hash(name, length), l->nodes);
    return l->nodes++;
}

/* Letters, digits and what names of hosts and devices have besides: no spaces, nothing that cannot be
 * seen. */
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

/* A port has one link. Where no port is said any number of them may be there. */
static void check_ports(struct reader *r, const struct yaml_node *n, const struct links *l,
                        struct finder *ports)
{
    const struct link *link = &l->link[l->links];

    for (uint32_t side = 0; side < 2 && !r->rc; side++) {
        const struct link_end *e = &link->end[side];
        uint64_t               hash = finder_hash(e->port, strlen(e->port)) * 31 + e->node;
        uint32_t               at = 0, i;

        while (*e->port && (i = finder_next(ports, hash, &at)) != FINDER_NONE) {
            const struct link_end *other = &l->link[i / 2].end[i % 2];

            if (other->node == e->node && strcmp(other->port, e->port) == 0)
                reader_refuse(r, n, "%s:%s has another link already", l->node[e->node], e->port);
        }
        finder_add(ports, hash, 2 * l->links + side);
    }
}

static void add_link(struct reader *r, const struct yaml_node *n, struct links *l, struct finder *ports)
{
    const char  *dash = n->kind == YAML_SCALAR ? strstr(n->text, " - ") : NULL;
    struct link *link;
    size_t       left, gap;

    if ((l->links & (l->links - 1)) == 0)
        l->link = xrealloc(l->link, (l->links ? 2ul * l->links : 1) * sizeof *l->link);
    link = &l->link[l->links];
    if (dash) {
        left = (size_t)(dash - n->text);
        while (left && n->text[left - 1] == ' ')
            left--;
        gap = strspn(dash + 3, " ");
    }
    if (!dash || !take_end(l, n->text, left, &link->end[0]) ||
        !take_end(l, dash + 3 + gap, strlen(dash + 3 + gap), &link->end[1])) {
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
    struct finder   ports = { 0 };
    struct section  s;
    int             rc = yaml_parse(&doc, name, text, length, err);

    *l = (struct links){ 0 };
    if (rc)
        return rc;
    s = section_open(&r, doc.root, &(struct section){ .name = "", .own = keys });
    if (section_need(&s, "links"))
        for (const struct yaml_node *n = section_list(&s, "links", LINKS_MAX); n && !r.rc; n = n->next)
            add_link(&r, n, l, &ports);
    finder_fini(&ports);
    yaml_fini(&doc);
    if (r.rc)
        links_fini(l);
    return r.rc;
}

static int links_read(struct links *l, const char *path, struct err *err)
{
    char  *text;
    size_t length;
    int    rc = text_read_file(path, FILE_BYTES_MAX, &text, &length, err);

    *l = (struct links){ 0 };
    if (rc)
        return rc;
    rc = links_parse(l, path, text, length, err);
    free(text);
    return rc;
}

/* Errors have their own place in the file. */
void links_read_named(const struct section *s, const char *key, struct links *l)
{
    char      *path = section_get(s, key) ? section_file(s, key) : NULL;
    struct err why;
    int        rc = path ? links_read(l, path, &why) : 0;

    if (rc)
        reader_keep(s->r, rc, &why, section_get(s, key));
    free(path);
}
