#include "study/serve/folder.h"

#include "base/file/scratch.h"
#include "base/json.h"
#include "base/text.h"
#include "study/campaign/campaign.h"
#include "core/figures.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ITEMS_MAX   200
#define FILES_MAX   42           /* with "." and ".." */
#define POINTS_MAX  512
#define COLUMNS_MAX 512
#define FILE_MAX    ((size_t)256 << 20)

static bool is_folder(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* ---- open ---- */

static bool is_result(const char *path)
{
    struct marker m;

    if (!marker_read(&m, path))
        return false;
    marker_fini(&m);
    return true;
}

/* Removes trailing slashes, except from "/". */
static char *trim_slashes(const char *path)
{
    char  *copy = xstrdup(path);
    size_t length = strlen(copy);

    while (length > 1 && copy[length - 1] == '/')
        copy[--length] = '\0';
    return copy;
}

int folder_open(struct folder *f, const char *path, struct err *err)
{
    char *own = trim_slashes(path), *slash = strrchr(own, '/');

    *f = (struct folder){ 0 };
    if (is_folder(own) && !is_result(own)) {
        f->base = own;
        return 0;
    }
    f->only = xstrdup(slash ? slash + 1 : own);
    f->base = slash == own ? xstrdup("/") : slash ? xprintf("%.*s", (int)(slash - own), own) : xstrdup(".");
    free(own);
    if (is_folder(f->base) && *f->only)
        return 0;
    folder_fini(f);
    return err_set(err, ENOENT, "%.300s: there is no such folder", path);
}

char *folder_nearest(const struct folder *f)
{
    DIR           *dir = f->only ? opendir(f->base) : NULL;
    struct dirent *e;
    char          *near = NULL;

    while (dir && !near && (e = readdir(dir))) {
        char *path = xprintf("%s/%s", f->base, e->d_name);

        if (e->d_name[0] != '.' && is_folder(path) &&
            text_nearest(f->only, (const char *const[]){ e->d_name, NULL }))
            near = xstrdup(e->d_name);
        free(path);
    }
    if (dir)
        closedir(dir);
    return near;
}

void folder_fini(struct folder *f)
{
    free(f->base);
    free(f->only);
    *f = (struct folder){ 0 };
}

/* ---- names ---- */

static int compare_names(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* Lists the entries of a folder, sorted by name. Returns their number, 0 for a folder that does not exist. */
static uint32_t list_names(const char *path, struct dirent ***list)
{
    int count = scandir(path, list, NULL, compare_names);

    if (count < 0)
        *list = NULL;
    return count < 0 ? 0 : (uint32_t)count;
}

static void free_names(struct dirent **list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        free(list[i]);
    free(list);
}

static bool is_scratch(const char *name)
{
    return strncmp(name, ".anole-", 7) == 0;
}

static bool is_store(const char *name)
{
    const char *end = strrchr(name, '.');

    return end && end > name && strcmp(end, ".sqlite") == 0;
}

/* True if this entry of the base belongs to the served results. */
static bool is_served(const struct folder *f, const char *name)
{
    size_t length = f->only ? strlen(f->only) : 0;

    return !f->only || is_scratch(name) || strcmp(name, f->only) == 0 ||
           (strncmp(name, f->only, length) == 0 && strcmp(name + length, ".sqlite") == 0);
}

/* ---- files ---- */

/* Opens a regular file in a subfolder of the base without following links. Returns -1 if it does not
 * exist. */
static int open_file(const struct folder *f, const char *item, const char *file, size_t *size)
{
    int         base = open(f->base, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int         dir = base < 0 ? -1 : openat(base, item, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int         fd = dir < 0 ? -1 : openat(dir, file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat st;

    if (base >= 0)
        close(base);
    if (dir >= 0)
        close(dir);
    if (fd >= 0 && (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || (size_t)st.st_size > FILE_MAX)) {
        close(fd);
        return -1;
    }
    if (fd >= 0)
        *size = (size_t)st.st_size;
    return fd;
}

static int read_all(int fd, size_t size, char **bytes, size_t *length)
{
    char   *made = xmalloc(size + 1);
    size_t  used = 0;
    ssize_t n = 1;

    while (used < size && (n = read(fd, made + used, size - used)) > 0)
        used += (size_t)n;
    close(fd);
    if (n < 0) {
        free(made);
        return -EIO;
    }
    made[used] = '\0';
    *bytes = made;
    *length = used;
    return 0;
}

int folder_read(const struct folder *f, const char *item, const char *file, char **bytes, size_t *length)
{
    size_t size = 0;

    if (*item == '.' || *file == '.' || strchr(item, '/') || strchr(file, '/') || !is_served(f, item))
        return -ENOENT;
    char *path = xprintf("%s/%s", f->base, item);
    int   fd = is_result(path) ? open_file(f, item, file, &size) : -1;
    free(path);
    return fd < 0 ? -ENOENT : read_all(fd, size, bytes, length);
}

/* ---- finished results ---- */

static json_t *files_json(const char *path, int64_t *changed_ms)
{
    struct dirent **list;
    uint32_t        count = list_names(path, &list);
    json_t         *made = json_array();

    for (uint32_t i = 0; i < count && i < FILES_MAX; i++) {
        const char *name = list[i]->d_name;
        char       *file = xprintf("%s/%s", path, name);
        struct stat st;

        if (name[0] != '.' && lstat(file, &st) == 0 && S_ISREG(st.st_mode)) {
            int64_t ms = (int64_t)st.st_mtim.tv_sec * 1000 + st.st_mtim.tv_nsec / 1000000;

            json_array_append_new(made, json_pack("{s:o, s:I}", "name", JSON(name), "bytes",
                                                  (json_int_t)st.st_size));
            *changed_ms = ms > *changed_ms ? ms : *changed_ms;
        }
        free(file);
    }
    free_names(list, count);
    return made;
}

static bool has_file(const json_t *files, const char *name)
{
    const json_t *file;
    size_t        i;

    json_array_foreach(files, i, file)
        if (strcmp(json_string_value(json_object_get(file, "name")), name) == 0)
            return true;
    return false;
}

static json_t *result_json(const struct folder *f, const char *name)
{
    char         *path = xprintf("%s/%s", f->base, name);
    struct marker m;
    json_t       *made = NULL, *files;
    int64_t       changed_ms = 0;

    if (marker_read(&m, path)) {
        files = files_json(path, &changed_ms);
        made = json_pack("{s:o, s:o, s:b, s:I, s:o}", "name", JSON(name), "kind",
                         JSON(m.kind && strncmp(m.kind, "anole ", 6) == 0 ? m.kind + 6 : "results"),
                         "has_report", has_file(files, "report.html"), "changed_ms", (json_int_t)changed_ms,
                         "files", files);
        marker_fini(&m);
    }
    free(path);
    return made;
}

/* ---- runs in progress ---- */

/* Splits a CSV line at its commas. Quoted text is left as it is. Returns the number of fields. */
static uint32_t split_csv_line(char *line, char *field[COLUMNS_MAX])
{
    uint32_t count = 0;
    bool     is_quoted = false;
    char    *start = line;

    for (char *c = line;; c++) {
        if (*c == '"')
            is_quoted = !is_quoted;
        if (*c && (*c != ',' || is_quoted))
            continue;
        if (count == COLUMNS_MAX)
            return count;
        field[count++] = start;
        if (!*c)
            return count;
        *c = '\0';
        start = c + 1;
    }
}

static json_t *parse_number(const char *text)
{
    char  *end;
    double value = strtod(text, &end);

    return *text && !*end ? JSON(value) : json_null();
}

/* Finds the columns of the page's charts in the file; UINT32_MAX: no such column. */
static json_t *columns_json(char *const head[], uint32_t heads, uint32_t at[FIGURE_COUNT])
{
    json_t        *list = json_array();
    enum figure_id column[FIGURE_COUNT];
    uint32_t       columns = figure_list(FIGURE_CHART, column);

    for (uint32_t c = 0; c < FIGURE_COUNT; c++)
        at[c] = UINT32_MAX;
    for (uint32_t c = 0; c < columns; c++) {
        const struct figure_info *f = &figure_info[column[c]];

        for (uint32_t i = 0; i < heads; i++)
            if (strcmp(head[i], f->name) == 0)
                at[c] = i;
        if (at[c] != UINT32_MAX)
            json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s, s:[]}", "name", f->name, "label",
                                                  f->chart, "group", f->group, "unit",
                                                  metric_unit_name(f->unit), "values"));
    }
    return list;
}

static void add_row(json_t *at_us, json_t *list, char *const field[], uint32_t fields,
                    const uint32_t at[FIGURE_COUNT])
{
    uint32_t n = 0;

    json_array_append_new(at_us, fields > 1 ? parse_number(field[1]) : json_null());
    for (size_t c = 0; c < FIGURE_COUNT; c++)
        if (at[c] != UINT32_MAX)
            json_array_append_new(json_object_get(json_array_get(list, n++), "values"),
                                  at[c] < fields ? parse_number(field[at[c]]) : json_null());
}

/* The last line may be half written and does not count. */
static uint32_t count_lines(const char *text)
{
    uint32_t count = 0;

    for (; (text = strchr(text, '\n')); text++)
        count++;
    return count;
}

json_t *folder_series(const char *csv, size_t length)
{
    char    *text = xcopy(csv, length, 1), *rest = text, *field[COLUMNS_MAX];
    uint32_t at[FIGURE_COUNT], lines = count_lines(text);
    json_t  *made = NULL;

    if (lines > 1 && strncmp(text, "start_us,end_us,", 16) == 0) {
        uint32_t every = (lines - 2) / POINTS_MAX + 1, heads = split_csv_line(strsep(&rest, "\n"), field);
        json_t  *list = columns_json(field, heads, at), *at_us = json_array();

        for (uint32_t i = 1; i < lines; i++) {
            char *line = strsep(&rest, "\n");

            if ((lines - 1 - i) % every == 0)            /* includes the last row */
                add_row(at_us, list, field, split_csv_line(line, field), at);
        }
        made = json_pack("{s:o, s:f, s:o}", "at_us", at_us, "interval_us", 0.0, "columns", list);
        JSON_PUT(made, { "rows", json_integer(lines - 1) }, { "every", json_integer(every) });
    }
    free(text);
    return made;
}

static json_t *running_json(const struct folder *f, const char *name)
{
    size_t  size = 0, length = 0;
    char   *csv = NULL;
    int     fd = open_file(f, name, "intervals.csv", &size);
    json_t *series = fd < 0 || read_all(fd, size, &csv, &length) ? NULL : folder_series(csv, length);

    free(csv);
    return json_pack("{s:o, s:o}", "name", JSON(name), "series", series ? series : json_null());
}

/* ---- all contents ---- */

static json_t *store_json(const struct folder *f, const char *name)
{
    char      *path = xprintf("%s/%s", f->base, name);
    json_t    *made = NULL;
    struct err err;

    if (campaign_peek(path, &made, &err))
        made = NULL;
    else
        json_object_set_new(made, "name", JSON(name));
    free(path);
    return made;
}

json_t *folder_state(const struct folder *f)
{
    json_t     *results = json_array(), *running = json_array(), *stores = json_array();
    const char *slash = strrchr(f->base, '/'), *base = slash && slash[1] ? slash + 1 : f->base;
    struct dirent **list;
    uint32_t    count = list_names(f->base, &list);

    for (uint32_t i = 0; i < count && json_array_size(results) < ITEMS_MAX; i++) {
        const char *name = list[i]->d_name;
        char       *path = xprintf("%s/%s", f->base, name);

        if (!is_served(f, name))
            ;
        else if (is_store(name))
            json_array_append_new(stores, store_json(f, name));
        else if (is_scratch(name) && is_folder(path))
            json_array_append_new(running, running_json(f, name));
        else if (name[0] != '.' && is_folder(path))
            json_array_append_new(results, result_json(f, name));
        free(path);
    }
    free_names(list, count);
    return json_pack("{s:o, s:o, s:o, s:o}", "name", JSON(f->only ? f->only : base), "results",
                     results, "running", running, "stores", stores);
}
