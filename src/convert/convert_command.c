/* src/convert/convert_command.c - a command line of htsim_uec becomes a scenario of model htsim. */
#include "convert/convert.h"

#include "base/reader.h"
#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FILE_BYTES_MAX (1ul << 34)

static void print_scenario(FILE *out, const struct htsim_command *c, const char *matrix, const char *topology,
                           uint64_t seed)
{
    fprintf(out, "model: htsim\nseed: %llu\nhtsim:\n  matrix: %s\n", (unsigned long long)seed, matrix);
    if (topology)
        fprintf(out, "  topology: %s\n", topology);
    for (uint32_t i = 0; i < c->settings; i++) {
        const char *key = c->setting[i].key;

        /* uet-htsim ignores these if it has a topology file. */
        if (!topology || (strcmp(key, "tiers") != 0 && strcmp(key, "hop_latency") != 0 &&
                          strcmp(key, "switch_latency") != 0))
            fprintf(out, "  %s: %s\n", key, c->setting[i].value);
    }
}

/* Errors name places in the scenario made from the command line. The user has only the latter, and it is one
 * line. */
static void point_to_command(const char *path, struct err *err)
{
    size_t     length = strlen(path), at = length;
    struct err was = *err;

    if (strncmp(err->text, path, length) != 0 || err->text[at] != ':')
        return;
    at += strspn(err->text + at, ":0123456789");
    err_write(err, "%s:1:%s", path, was.text + at);
}

/* Relative paths of the scenario are relative to the command line's folder. */
int convert_read_command(struct convert_source *s, const char *path, const char *const *set, uint32_t sets,
                         const uint64_t *seed, struct err *err)
{
    struct htsim_command *c = &s->command;
    char                 *text = NULL, *matrix, *topology;
    FILE                 *out;
    int                   rc = htsim_read_command(path, NULL, c, err);

    if (rc)
        return rc;
    out = text_stream(&text);
    matrix = convert_quoted(c->matrix);
    topology = c->topology ? convert_quoted(c->topology) : NULL;
    print_scenario(out, c, matrix, topology, seed ? *seed : c->seed);
    fclose(out);
    free(matrix);
    free(topology);
    rc = scenario_parse(&s->scenario, path, text, strlen(text), set, sets, seed, err);
    free(text);
    if (rc)
        point_to_command(path, err);
    if (!rc && c->nodes && c->nodes != s->scenario.graph.hosts)
        rc = err_set(err, EINVAL, "%s: -nodes %llu, but the connection matrix has %u", path,
                     (unsigned long long)c->nodes, s->scenario.graph.hosts);
    return rc;
}

static int copy_file(const char *from, struct outdir *dir, const char *to, struct err *err)
{
    size_t size;
    char  *text;
    FILE  *out;
    int    rc = text_read_file(from, FILE_BYTES_MAX, &text, &size, err);

    if (rc)
        return rc;
    out = outdir_file(dir, to, err);
    if (out)
        fwrite(text, 1, size, out);
    free(text);
    return out ? 0 : -EIO;
}

int convert_write_command(const struct convert_source *s, struct outdir *dir, struct err *err)
{
    const struct htsim_command *c = &s->command;
    FILE                       *out = outdir_file(dir, "scenario.yaml", err);

    if (!out)
        return -EIO;
    fputs("# Written by anole convert.\n", out);
    print_scenario(out, c, "traffic.cm", c->topology ? "network.topo" : NULL, s->scenario.cfg.seed);
    char *path = reader_path(s->name, c->matrix);
    int rc = copy_file(path, dir, "traffic.cm", err);
    free(path);
    if (rc || !c->topology)
        return rc;
    path = reader_path(s->name, c->topology);
    rc = copy_file(path, dir, "network.topo", err);
    free(path);
    return rc;
}
