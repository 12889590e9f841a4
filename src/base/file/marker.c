#include "base/file/marker.h"
#include "base/err.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BYTES_MAX (1U << 20)     /* far more than Anole writes; the rest is ignored */

/* Splits the text into lines. Ignores an incomplete last line. */
static void split_lines(struct marker *m)
{
    char *line = m->text, *end;

    for (; (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        if (!m->kind) {
            m->kind = line;
            continue;
        }
        m->name = xrealloc(m->name, (m->names + 1) * sizeof(*m->name));
        m->name[m->names++] = line;
    }
}

bool marker_read(struct marker *m, const char *path)
{
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int fd = folder < 0 ? -1 : openat(folder, MARKER_NAME, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    size_t used = 0;
    ssize_t got = 0;

    *m = (struct marker){ 0 };
    if (folder >= 0)
        close(folder);
    if (fd < 0)
        return false;
    m->text = xmalloc(BYTES_MAX + 1);
    while (used < BYTES_MAX && (got = read(fd, m->text + used, BYTES_MAX - used)) > 0)
        used += (size_t)got;
    close(fd);
    m->text[used] = '\0';
    split_lines(m);
    return true;
}

void marker_fini(struct marker *m)
{
    free(m->name);
    free(m->text);
    *m = (struct marker){ 0 };
}

static bool is_file(const char *path, const char *name)
{
    char       *whole = xprintf("%s/%s", path, name);
    struct stat s;
    bool        is_regular = lstat(whole, &s) == 0 && S_ISREG(s.st_mode);

    free(whole);
    return is_regular;
}

bool marker_has(const struct marker *m, const char *path, const char *name)
{
    bool is_named = strcmp(name, MARKER_NAME) == 0;

    for (uint32_t i = 0; i < m->names && !is_named; i++)
        is_named = strcmp(m->name[i], name) == 0;
    return is_named && is_file(path, name);
}
