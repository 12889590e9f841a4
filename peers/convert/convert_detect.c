/* peers/convert/convert_detect.c - recognizes a file of another simulator by its name and its first lines. */
#include "peers/convert/convert.h"
#include "study/scenario/examples.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define HEAD_BYTES 65536         /* bytes read to detect the format */
#define GOAL_MAGIC "\x7f\x10\0\0\0\0\0\0"        /* of LogGOPSim's txt2bin: 4223, little endian */

static const struct {
    const char *what, *line;     /* line: of a scenario; %s is the file. NULL: none */
} kinds[] = {
    [INPUT_SCENARIO] = { "a scenario", NULL },
    [INPUT_CONFIG] = { "a config of the HPCC or ConWeave ns-3 fork", "hpcc: %s" },
    [INPUT_HPCC_TOPOLOGY] = { "a topology of the HPCC ns-3 fork", "topology: {kind: hpcc, file: %s}" },
    [INPUT_HPCC_FLOWS] = { "a list of flows of the HPCC ns-3 fork", "traffic: [{kind: flows, file: %s}]" },
    [INPUT_HTSIM_TOPOLOGY] = { "a topology of htsim", "topology: {kind: htsim, file: %s}" },
    [INPUT_HTSIM_CM] = { "a connection matrix of htsim", "traffic: [{kind: htsim, file: %s}]" },
    [INPUT_HTSIM_COMMAND] = { "a command line of htsim_uec", NULL },
    [INPUT_GOAL] = { "a GOAL trace", "traffic: [{kind: goal, file: %s}]" },
    [INPUT_CHAKRA] = { "a Chakra trace", "traffic: [{kind: chakra, file: %s}]" },
    [INPUT_SIMAI_WORKLOAD] = { "a workload of SimAI", "traffic: [{kind: simai, file: %s}]" },
    [INPUT_SIMAI_TOPOLOGY] = { "a topology of SimAI", "topology: {kind: simai, file: %s}" },
    [INPUT_ASTRA_NETWORK] = { "a network of ASTRA-sim", "topology: {kind: astra, file: %s}" },
};

static bool has_end(const char *path, const char *end)
{
    size_t length = strlen(path), size = strlen(end);

    return length > size && strcasecmp(path + length - size, end) == 0;
}

/* Returns the first line that is neither empty nor a comment. */
static const char *first_line(const char *text)
{
    for (;;) {
        text += strspn(text, " \t\r\n");
        if (*text != '#' && strncmp(text, "//", 2) != 0)
            return text;
        text += strcspn(text, "\n");
    }
}

/* True if a line starts with the word, before a blank or a colon. */
static bool has_line(const char *text, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = text; at; at = strchr(at, '\n')) {
        at += strspn(at, " \t\r\n");
        if (strncasecmp(at, word, length) == 0 && (isspace((unsigned char)at[length]) || at[length] == ':'))
            return true;
    }
    return false;
}

/* Lines of numbers. One: a list of flows. Three: a topology. SimAI's has five, and the type of GPUs. */
static enum convert_input detect_numbers(const char *line)
{
    size_t numbers = 0;

    for (; isdigit((unsigned char)*line); numbers++) {
        line += strspn(line, "0123456789");
        line += strspn(line, " \t\r");
    }
    return numbers >= 5 && isalpha((unsigned char)*line) ? INPUT_SIMAI_TOPOLOGY
           : numbers == 1 ? INPUT_HPCC_FLOWS : INPUT_HPCC_TOPOLOGY;
}

/* Detects the format by the first line. "htsim_uec": a command line. "Nodes": htsim. A word in capitals
 * without a colon: a policy of SimAI, or a config. */
static enum convert_input detect_text(const char *text)
{
    const char *line = first_line(text);
    size_t      capitals, word = strcspn(line, " \t\r\n");

    if (word >= 9 && strncmp(line + word - 9, "htsim_uec", 9) == 0)
        return INPUT_HTSIM_COMMAND;
    if (strncasecmp(line, "Nodes", 5) == 0 && isspace((unsigned char)line[5]))
        return has_line(line, "Podsize") || has_line(line, "Tiers") ? INPUT_HTSIM_TOPOLOGY : INPUT_HTSIM_CM;
    if (isdigit((unsigned char)*line))
        return detect_numbers(line);
    if (has_line(text, "num_ranks"))
        return INPUT_GOAL;
    if (has_line(text, "npus_count"))
        return INPUT_ASTRA_NETWORK;
    if (simai_is_policy(line, word))
        return INPUT_SIMAI_WORKLOAD;
    capitals = strspn(line, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    return capitals > 1 && (line[capitals] == ' ' || line[capitals] == '\t') ? INPUT_CONFIG : INPUT_SCENARIO;
}

/* A trace of Chakra has a file for each rank, PREFIX.0.et and so on. Returns the length of the prefix; 0: not
 * one of these files, and no prefix of any. */
static size_t chakra_prefix(const char *path)
{
    size_t length = strlen(path);

    if (has_end(path, ".et")) {
        for (length -= 3; length > 0 && isdigit((unsigned char)path[length - 1]);)
            length--;
        return length > 1 && path[length - 1] == '.' ? length - 1 : 0;
    }
    char *first = xprintf("%s.0.et", path);
    bool is_there = access(path, F_OK) != 0 && access(first, F_OK) == 0;
    free(first);
    return is_there ? length : 0;
}

int convert_detect(const char *path, enum convert_input *input, struct err *err)
{
    char   head[HEAD_BYTES + 1], *found;
    FILE  *file;

    *input = chakra_prefix(path) ? INPUT_CHAKRA : INPUT_SCENARIO;
    if (*input == INPUT_CHAKRA || strcmp(path, "-") == 0)
        return 0;
    found = examples_path(path, err);
    if (!found)
        return -ENOENT;
    file = fopen(found, "r");
    free(found);
    if (!file)
        return err_set(err, errno, "%s: %s", path, strerror(errno));
    size_t length = fread(head, 1, HEAD_BYTES, file);
    fclose(file);
    head[length] = '\0';
    *input = length >= 8 && memcmp(head, GOAL_MAGIC, 8) == 0 ? INPUT_GOAL : detect_text(head);
    if ((has_end(path, ".yaml") || has_end(path, ".yml")) && *input != INPUT_ASTRA_NETWORK)
        *input = INPUT_SCENARIO;
    else if (has_end(path, ".cm"))
        *input = INPUT_HTSIM_CM;
    else if (has_end(path, ".topo") && *input != INPUT_SIMAI_TOPOLOGY)
        *input = INPUT_HTSIM_TOPOLOGY;
    return 0;
}

const char *convert_what(enum convert_input input)
{
    return kinds[input].what;
}

char *convert_quoted(const char *path)
{
    char *text = xmalloc(2 * strlen(path) + 3), *at = text;

    if (!path[strspn(path, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./-")])
        return memcpy(text, path, strlen(path) + 1);
    for (*at++ = '"'; *path; *at++ = *path++)
        if (*path == '"' || *path == '\\')
            *at++ = '\\';
    *at++ = '"';
    *at = '\0';
    return text;
}

char *convert_line(enum convert_input input, const char *path)
{
    const char *mark = kinds[input].line ? strstr(kinds[input].line, "%s") : NULL;
    char       *file, *quoted, *line;

    if (!mark)
        return NULL;
    file = input == INPUT_CHAKRA ? xprintf("%.*s", (int)chakra_prefix(path), path) : xstrdup(path);
    quoted = convert_quoted(file);
    line = xprintf("%.*s%s%s", (int)(mark - kinds[input].line), kinds[input].line, quoted, mark + 2);
    free(quoted);
    free(file);
    return line;
}
