/* peers/convert/convert_command.c - a command line of htsim_uec becomes a scenario of model htsim. */
#include "peers/convert/convert.h"

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
    size_t     length = strlen(path);
    struct err was = *err;

    if (strncmp(was.text, path, length) == 0 && was.text[length] == ':')
        err_write(err, "%s:1:%s", path, was.text + length + strspn(was.text + length, ":0123456789"));
}

/* Relative paths of the scenario are relative to the command line's folder. */
int convert_read_command(struct convert_source *s, const char *path, struct err *err)
{
    struct htsim_command *c = &s->command;
    int                   rc = htsim_read_command(path, NULL, c, err);

    if (rc)
        return rc;
    char *text, *matrix = convert_quoted(c->matrix);
    char *topology = c->topology ? convert_quoted(c->topology) : NULL;
    FILE *out = text_stream(&text);
    print_scenario(out, c, matrix, topology, s->seed ? *s->seed : c->seed);
    fclose(out);
    free(matrix);
    free(topology);
    rc = convert_parse(s, path, text, err);
    if (rc)
        point_to_command(path, err);
    if (!rc && c->nodes && c->nodes != s->scenario.graph.hosts)
        rc = err_set(err, EINVAL, "%s: -nodes %llu, but the connection matrix has %u", path,
                     (unsigned long long)c->nodes, s->scenario.graph.hosts);
    return rc;
}

/* Copies a file that the command line names. */
static int copy_file(const struct convert_source *s, const char *file, struct outdir *dir, const char *to,
                     struct err *err)
{
    size_t size;
    char  *text, *path = reader_path(s->name, file);
    int    rc = text_read_file(path, FILE_BYTES_MAX, &text, &size, err);

    free(path);
    if (rc)
        return rc;
    FILE *out = outdir_file(dir, to, err);
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
    int rc = copy_file(s, c->matrix, dir, "traffic.cm", err);
    return rc || !c->topology ? rc : copy_file(s, c->topology, dir, "network.topo", err);
}
