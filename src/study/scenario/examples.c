#include "study/scenario/examples.h"
#include "base/text.h"

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SUFFIX ".yaml"

/* Returns the folder of examples, or NULL; the caller frees it. A folder named by the user may contain any
 * scenarios. */
static char *find_folder(void)
{
    static const char *const places[] = { "../share/anole/scenarios", "../../share/anole/scenarios",
                                           "../../scenarios" };
    const char *named = getenv("ANOLE_SCENARIOS");
    char        self[PATH_MAX];

    if (named && *named)
        return xstrdup(named);
    for (size_t i = 0; i < sizeof places / sizeof *places && text_own_folder(self); i++) {
        char *folder = xprintf("%s/%s", self, places[i]), *one = xprintf("%s/incast%s", folder, SUFFIX);
        char *found = access(one, R_OK) == 0 ? realpath(folder, NULL) : NULL;

        free(one);
        free(folder);
        if (found)
            return found;
    }
    return NULL;
}

static bool is_scenario(const char *name)
{
    size_t length = strlen(name);

    return name[0] != '.' && length > strlen(SUFFIX) && strcmp(name + length - strlen(SUFFIX), SUFFIX) == 0;
}

/* Reads the first sentence of the comment at the top, up to a period or colon. */
static char *read_about(const char *path)
{
    char  *line = NULL, *made = xstrdup("");
    size_t room = 0, used = 0;
    FILE  *f = fopen(path, "re");
    bool   is_over = f == NULL;

    while (!is_over && getline(&line, &room, f) > 0 && line[0] == '#') {
        char *text = line + 1 + strspn(line + 1, " "), *stop = text;

        text[strcspn(text, "\n")] = '\0';
        while ((stop = strpbrk(stop, ".:")) && stop[1] != ' ' && stop[1] != '\0')
            stop++;
        if (stop)
            *stop = '\0';
        is_over = stop != NULL;
        size_t length = strlen(text);
        made = xrealloc(made, used + length + 2);
        used += (size_t)sprintf(made + used, "%s%s", used ? " " : "", text);
    }
    free(line);
    if (f)
        fclose(f);
    return made;
}

static int is_listed(const struct dirent *e)
{
    return is_scenario(e->d_name);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

uint32_t examples_list(struct example **list)
{
    char           *path = find_folder();
    struct dirent **entry = NULL;
    int             count = path ? scandir(path, &entry, is_listed, by_name) : 0;

    *list = xcalloc(count > 0 ? (size_t)count : 1, sizeof **list);
    for (int i = 0; i < count; i++) {
        char *name = entry[i]->d_name, *file = xprintf("%s/%s", path, name);

        (*list)[i] = (struct example){ xprintf("%.*s", (int)(strlen(name) - strlen(SUFFIX)), name),
                                       read_about(file) };
        free(file);
        free(entry[i]);
    }
    free(entry);
    free(path);
    return count > 0 ? (uint32_t)count : 0;
}

void examples_free(struct example *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        free(list[i].name);
        free(list[i].about);
    }
    free(list);
}

char *examples_find(const char *name)
{
    char *folder;

    if (!*name || *name == '.' || strchr(name, '/') || !(folder = find_folder()))
        return NULL;
    char *path = xprintf("%s/%s%s", folder, name, is_scenario(name) ? "" : SUFFIX);
    free(folder);
    if (access(path, R_OK) == 0)
        return path;
    free(path);
    return NULL;
}

char *examples_nearest(const char *name)
{
    struct example *list;
    uint32_t        count = examples_list(&list);
    const char    **names = xcalloc(count + 1ul, sizeof *names);
    size_t          length = strlen(name);
    char           *bare = xstrdup(name);

    if (length > 5 && strcmp(bare + length - 5, ".yaml") == 0)
        bare[length - 5] = '\0';
    for (uint32_t i = 0; i < count; i++)
        names[i] = list[i].name;
    const char *near = text_nearest(bare, names);
    char *made = near ? xstrdup(near) : NULL;
    free(bare);
    free(names);
    examples_free(list, count);
    return made;
}

static void refuse(const char *name, struct err *err)
{
    char *near = examples_nearest(name);

    err_set(err, ENOENT, "%s: no such file, and no scenario of that name comes with Anole; %s%s%s", name,
            near ? "did you mean '" : "see anole list scenario", near ? near : "", near ? "'?" : "");
    free(near);
}

char *examples_path(const char *path, struct err *err)
{
    bool  is_there = strcmp(path, "-") == 0 || strchr(path, '/') || access(path, F_OK) == 0;
    char *found = is_there ? xstrdup(path) : examples_find(path);

    if (!found)
        refuse(path, err);
    return found;
}
