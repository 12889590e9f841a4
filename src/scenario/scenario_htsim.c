/* src/scenario/scenario_htsim.c */
#include "scenario/scenario_htsim.h"

#include "base/text.h"

#include <stdlib.h>

/* The file that the key names, relative to the scenario; malloc'd. NULL: refused. */
static char *file_path(const struct section *sec)
{
    const char *file;

    section_need(sec, "file");
    file = section_text(sec, "file");
    return file ? reader_path(sec->r->name, file) : NULL;
}

void scenario_read_htsim_topology(struct scenario_reader *r, const struct section *sec)
{
    char      *path = file_path(sec);
    struct err why;

    if (!path)
        return;
    reader_keep(r, htsim_read_topology(path, &r->s->graph, &why), &why, section_get(sec, "file"));
    free(path);
}

static uint32_t count_sources(const struct flow_matrix *cm)
{
    bool    *is_source = xcalloc(cm->nodes, sizeof *is_source);
    uint32_t count = 0;

    for (uint32_t i = 0; i < cm->conns; i++) {
        count += !is_source[cm->conn[i].src];
        is_source[cm->conn[i].src] = true;
    }
    free(is_source);
    return count;
}

/* What one host does acts on another a link's delay later at least. */
static void read_delay(const struct entry *e, uint64_t *delay_ps)
{
    uint64_t least_ps = scenario_link_delay_ps(&e->r->s->graph);
    char     text[32];

    *delay_ps = least_ps;
    section_time(&e->sec, "delay", delay_ps);
    if (!e->r->rc && *delay_ps < least_ps)
        reader_refuse(e->r, section_get(&e->sec, "delay"),
                      "'delay' must be %s or more, the shortest delay of a link",
                      text_from_time(text, sizeof text, least_ps));
}

bool scenario_read_htsim_cm(const struct entry *e, struct flow_matrix *cm, uint64_t *delay_ps)
{
    struct scenario_reader *r = e->r;
    const struct yaml_node *node = section_get(&e->sec, "file");
    char                   *path = file_path(&e->sec);
    struct err              why;

    read_delay(e, delay_ps);
    *cm = (struct flow_matrix){ 0 };
    if (path && !r->rc)
        reader_keep(r, htsim_read_cm(path, cm, &why), &why, node);
    free(path);
    if (r->rc)
        return false;
    if (cm->nodes > r->s->graph.hosts) {
        reader_refuse(r, node, "the connections are for %u hosts, but the network has %u", cm->nodes,
                      r->s->graph.hosts);
        flow_matrix_fini(cm);
        return false;
    }
    e->about->hosts = count_sources(cm);
    return true;
}

void scenario_read_htsim_traffic(struct entry *e)
{
    struct flow_matrix cm;
    uint64_t        delay_ps;

    if (scenario_read_htsim_cm(e, &cm, &delay_ps))
        traffic_add_cm(e->r->s->traffic, &e->common, &cm, delay_ps);
}
