#include "core/option.h"
#include "base/reader.h"
#include "base/text.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- values ---- */

void option_texts_free(struct option_text *t, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        free(t[i].key);
        free(t[i].text);
        free(t[i].place);
    }
    free(t);
}

double option_initial(const struct key_row *row)
{
    struct key_value v = { 0 };
    int              rc = key_parse(row, row->initial, &v, NULL);

    assert(rc == 0);
    (void)rc;
    return v.real;
}

void option_values_init(const struct key_row *table, struct option_values *v)
{
    *v = (struct option_values){ 0 };
    for (int i = 0; table[i].name; i++) {
        if (table[i].unit == KEY_FILE)
            v->text[i] = xstrdup(table[i].initial);
        else
            v->value[i] = option_initial(&table[i]);
    }
}

void option_values_copy(struct option_values *to, const struct option_values *from)
{
    *to = *from;
    to->refused = NULL;
    for (int i = 0; i < OPTIONS_MAX; i++)
        to->text[i] = from->text[i] ? xstrdup(from->text[i]) : NULL;
}

void option_values_fini(struct option_values *v)
{
    for (int i = 0; i < OPTIONS_MAX; i++)
        free(v->text[i]);
    *v = (struct option_values){ 0 };
}

/* ---- parse one value ---- */

#define NAMED_MAX 12

static int refuse_name(const struct key_row *table, const char *owner, const char *name, struct err *err)
{
    const char *names[OPTIONS_MAX + 1] = { NULL };
    char        hint[400], more[32];
    int         count = 0;

    for (; table[count].name; count++)
        names[count] = table[count].name;
    if (!count)
        return err_set(err, EINVAL, "'%.60s' is not an option of %s, which has none", name, owner);
    /* list the first ones and the number of others */
    if (count > NAMED_MAX && !text_nearest(name, names)) {
        snprintf(more, sizeof more, "%d more", count - NAMED_MAX);
        names[NAMED_MAX] = more;
        names[NAMED_MAX + 1] = NULL;
    }
    return err_set(err, EINVAL, "'%.60s' is not an option of %s%s", name, owner,
                   text_names(hint, sizeof hint, name, names));
}

int option_values_set(const struct key_row *table, const char *owner, struct option_values *v,
                      const char *name,
                      const char *text, struct err *err)
{
    const struct key_row *o = key_find(table, name);
    struct key_value      made;

    if (!o)
        return refuse_name(table, owner, name, err);
    int rc = key_parse(o, text, &made, err);
    if (rc)
        return rc;
    long i = o - table;
    v->value[i] = made.real;
    if (o->unit == KEY_FILE) {
        free(v->text[i]);
        v->text[i] = xstrdup(text);
    }
    v->is_given[i] = true;
    return 0;
}

/* ---- parse one value from a file or the command line ---- */

static char *text_or_path(const struct key_row *o, const struct option_text *given, const char *beside)
{
    bool is_here = strncmp(given->place, "--set ", 6) == 0 && access(given->text, F_OK) == 0;
    bool is_choice = o->choices && text_index(given->text, o->choices) >= 0;

    return is_here || is_choice ? xstrdup(given->text) : reader_path(beside, given->text);
}

int option_values_read(const struct key_row *table, const char *owner, struct option_values *v,
                       const struct option_text *given, const char *beside, struct err *err)
{
    const struct key_row *o = key_find(table, given->key);
    char      *text = o && o->unit == KEY_FILE ? text_or_path(o, given, beside) : xstrdup(given->text);
    struct err why;
    int        rc = option_values_set(table, owner, v, given->key, text, &why);

    free(text);
    return rc ? err_set(err, -rc, "%s%s", given->place, why.text) : 0;
}
