/* src/core/option.c - see option.h. */
#include "core/option.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- values ---- */

static bool is_last(const struct option_info *o)
{
    return o->name == NULL;
}

void option_texts_free(struct option_text *t, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        free(t[i].key);
        free(t[i].text);
        free(t[i].place);
    }
    free(t);
}

void option_values_init(const struct option_info *table, struct option_values *v)
{
    *v = (struct option_values){ 0 };
    for (int i = 0; !is_last(&table[i]); i++) {
        v->value[i] = table[i].initial;
        v->text[i] = table[i].kind == OPTION_TEXT ? xstrdup(table[i].text) : NULL;
    }
}

void option_values_copy(struct option_values *to, const struct option_values *from)
{
    *to = *from;
    for (int i = 0; i < OPTIONS_MAX; i++)
        to->text[i] = from->text[i] ? xstrdup(from->text[i]) : NULL;
}

void option_values_fini(struct option_values *v)
{
    for (int i = 0; i < OPTIONS_MAX; i++)
        free(v->text[i]);
    *v = (struct option_values){ 0 };
}

const struct option_info *option_find(const struct option_info *table, const char *name)
{
    for (const struct option_info *o = table; !is_last(o); o++)
        if (strcmp(o->name, name) == 0)
            return o;
    return NULL;
}

/* ---- one from its text ---- */

#define NAMED_MAX 12

/* "a, b or c"; 'last' is " or " */
static const char *list_names(const char *const *names, const char *last, char *buf, size_t size)
{
    size_t used = 0;

    buf[0] = '\0';
    for (int i = 0; names[i] && used < size; i++) {
        const char *between = i == 0 ? "" : names[i + 1] ? ", " : last;

        used += (size_t)snprintf(buf + used, size - used, "%s%s", between, names[i]);
    }
    return buf;
}

static int refuse_name(const struct option_info *table, const char *owner, const char *name, struct err *err)
{
    const char *names[OPTIONS_MAX + 1] = { NULL };
    const char *near;
    char        all[400], more[32];
    int         count;

    for (int i = 0; !is_last(&table[i]); i++)
        names[i] = table[i].name;
    near = text_nearest(name, names);
    if (near)
        return err_set(err, EINVAL, "'%.60s' is not an option of %s; did you mean '%s'?", name, owner, near);
    if (!names[0])
        return err_set(err, EINVAL, "'%.60s' is not an option of %s, which has none", name, owner);
    for (count = 0; names[count]; count++)
        ;
    if (count > NAMED_MAX) {                     /* of very many the first, and how many there are */
        snprintf(more, sizeof more, "%d more", count - NAMED_MAX);
        names[NAMED_MAX] = more;
        names[NAMED_MAX + 1] = NULL;
    }
    return err_set(err, EINVAL, "'%.60s' is not an option of %s; there %s %s", name, owner, names[1] ? "are" : "is",
                   list_names(names, " and ", all, sizeof all));
}

static int parse_choice(const struct option_info *o, const char *text, double *value, struct err *err)
{
    const char *near = text_nearest(text, o->choices);
    char        list[160];

    for (int i = 0; o->choices[i]; i++) {
        if (strcmp(o->choices[i], text) != 0)
            continue;
        *value = i;
        return 0;
    }
    list_names(o->choices, " or ", list, sizeof list);
    return err_set(err, EINVAL, "'%s' must be %s, not '%.60s'%s%s%s", o->name, list, text,
                   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static int parse_yes(const struct option_info *o, const char *text, double *value, struct err *err)
{
    int yes;

    if (text_to_bool(text, &yes, NULL))
        return err_set(err, EINVAL, "'%s' must be yes or no, not '%.60s'", o->name, text);
    *value = yes;
    return 0;
}

static int parse_number(const struct option_info *o, const char *text, double *value, struct err *err)
{
    bool   is_count = o->kind == OPTION_COUNT;
    double number = 0;
    int    rc = text_to_real(text, &number, NULL);

    if (!rc && (number < o->min || number > o->max))
        rc = -ERANGE;
    else if (!rc && is_count && number != (double)(uint64_t)number)
        rc = -EINVAL;
    if (rc)
        return err_set(err, -rc, "'%s' must be %s %.10g .. %.10g, not '%.60s'", o->name,
                       is_count ? "a whole number" : "a number", o->min, o->max, text);
    *value = number;
    return 0;
}

static int parse(const struct option_info *o, const char *text, double *value, struct err *err)
{
    switch (o->kind) {
    case OPTION_CHOICE: return parse_choice(o, text, value, err);
    case OPTION_YES:    return parse_yes(o, text, value, err);
    case OPTION_REAL:
    case OPTION_COUNT:  return parse_number(o, text, value, err);
    case OPTION_TEXT:   break;
    }
    return *text ? 0 : err_set(err, EINVAL, "'%s' must not be empty", o->name);
}

int option_values_set(const struct option_info *table, const char *owner, struct option_values *v, const char *name,
                      const char *text, struct err *err)
{
    const struct option_info *o = option_find(table, name);
    long                      i;
    int                       rc;

    if (!o)
        return refuse_name(table, owner, name, err);
    i = o - table;
    rc = parse(o, text, &v->value[i], err);
    if (rc)
        return rc;
    if (o->kind == OPTION_TEXT) {
        free(v->text[i]);
        v->text[i] = xstrdup(text);
    }
    v->is_given[i] = true;
    return 0;
}

/* ---- one as it is written somewhere ---- */

static bool is_choice(const struct option_info *o, const char *text)
{
    for (int i = 0; o->choices && o->choices[i]; i++)
        if (strcmp(o->choices[i], text) == 0)
            return true;
    return false;
}

static char *text_or_path(const struct option_info *o, const struct option_text *given, const char *beside)
{
    const char *slash = strrchr(beside, '/'), *text = given->text;
    size_t      folder = slash ? (size_t)(slash - beside) + 1 : 0;
    bool        is_here = strncmp(given->place, "--set ", 6) == 0 && access(text, F_OK) == 0;
    char       *path;

    if (*text == '/' || !folder || is_here || is_choice(o, text))
        return xstrdup(text);
    path = xmalloc(folder + strlen(text) + 1);
    memcpy(path, beside, folder);
    memcpy(path + folder, text, strlen(text) + 1);
    return path;
}

int option_values_read(const struct option_info *table, const char *owner, struct option_values *v,
                       const struct option_text *given, const char *beside, struct err *err)
{
    const struct option_info *o = option_find(table, given->key);
    char      *text = o && o->kind == OPTION_TEXT ? text_or_path(o, given, beside) : xstrdup(given->text);
    struct err why;
    int        rc = option_values_set(table, owner, v, given->key, text, &why);

    free(text);
    return rc ? err_set(err, -rc, "%s%s", given->place, why.text) : 0;
}
