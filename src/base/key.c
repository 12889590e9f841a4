#include "base/key.h"
#include "base/text.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define HINT_MAX 300

const char *key_unit_name(enum key_unit unit)
{
    static const char *const names[] = {
        [KEY_NAME] = "name", [KEY_FILE] = "file", [KEY_YES] = "yes/no", [KEY_COUNT] = "count",
        [KEY_REAL] = "share", [KEY_TIME] = "time", [KEY_RATE] = "rate", [KEY_BYTES] = "bytes",
        [KEY_LIST] = "list", [KEY_MAP] = "map",
    };

    return names[unit];
}

const struct key_row *key_find(const struct key_row *row, const char *name)
{
    for (; row && row->name; row++)
        if (strcmp(row->name, name) == 0)
            return row;
    return NULL;
}

const char *key_initial(const struct key_row *row)
{
    return row->initial && *row->initial && strcmp(row->initial, "model") != 0 ? row->initial : NULL;
}

/* ---- bounds ---- */

static double field_max(const struct key_row *row)
{
    double per = row->per ? (double)row->per : 1;

    if (row->unit == KEY_TIME)
        return KEY_TIME_PS_MAX;
    switch (row->at.type) {
    case KEY_U8:  return per * UINT8_MAX;
    case KEY_U16: return per * UINT16_MAX;
    case KEY_U32: return per * UINT32_MAX;
    default:      return (double)UINT64_MAX;
    }
}

static const char *bound_text(char buf[32], enum key_unit unit, double bound)
{
    switch (unit) {
    case KEY_TIME:  return bound == 0 ? "0" : text_from_time(buf, 32, (uint64_t)bound);
    case KEY_RATE:  return text_from_rate(buf, 32, bound);
    case KEY_BYTES: return text_from_bytes(buf, 32, bound);
    default:        break;
    }
    snprintf(buf, 32, "%.10g", bound);
    return buf;
}

static int check_bounds(const struct key_row *row, const char *text, double value, struct err *err)
{
    bool   is_bounded = row->min != 0 || row->max != 0;
    double max = is_bounded ? row->max : field_max(row);
    char   low[32], high[32], hint[60] = "";

    if ((row->unit == KEY_REAL && !is_bounded) || (value >= row->min && value <= max))
        return 0;
    if (row->unit == KEY_REAL && max <= 1 && value >= 5 && value <= 100 * max)      /* a forgotten % */
        snprintf(hint, sizeof hint, "; did you mean %.30s%%?", text);
    return err_set(err, ERANGE, "%s must be %s .. %s, not %.60s%s", row->name,
                   bound_text(low, row->unit, row->min), bound_text(high, row->unit, max), text, hint);
}

/* ---- values ---- */

static int parse_choice(const struct key_row *row, const char *text, struct key_value *v, struct err *err)
{
    int  index = text_index(text, row->choices);
    char hint[HINT_MAX];

    if (index < 0)
        return err_set(err, EINVAL, "'%.60s' is not a value of %s%s", text, row->name,
                       text_names(hint, sizeof hint, text, row->choices));
    *v = (struct key_value){ .whole = (uint64_t)index, .real = index, .text = text };
    return 0;
}

static bool is_word(const struct key_row *row, const char *text, struct key_value *v)
{
    for (const struct key_word *w = row->words; w && w->word; w++) {
        if (strcmp(w->word, text) != 0)
            continue;
        *v = (struct key_value){ .whole = w->value, .real = (double)w->value, .text = text };
        return true;
    }
    return false;
}

/* A whole number may have an exponent: "1e3". */
static int text_to_count(const char *text, uint64_t *value, struct err *err)
{
    double made;
    int    rc = text_to_uint(text, value, err);

    if (rc != -EINVAL || !strpbrk(text, "eE") || text_to_real(text, &made, NULL) || made > 1e15 ||
        made != (double)(uint64_t)made)
        return rc;
    *value = (uint64_t)made;
    return 0;
}

/* Reads a number, a quantity, or yes or no. */
static int parse_number(const struct key_row *row, const char *text, struct key_value *v, struct err *err)
{
    struct key_value made = { .text = text };
    struct err       why;
    int              rc, yes = 0;

    switch (row->unit) {
    case KEY_YES:   rc = text_to_bool(text, &yes, &why);          break;
    case KEY_REAL:  rc = text_to_real(text, &made.real, &why);    break;
    case KEY_TIME:  rc = text_to_time(text, &made.whole, &why);   break;
    case KEY_RATE:  rc = text_to_rate(text, &made.whole, &why);   break;
    case KEY_BYTES: rc = text_to_bytes(text, &made.whole, &why);  break;
    default:        rc = text_to_count(text, &made.whole, &why);
    }
    if (rc)
        return err_set(err, -rc, "%s: %s", row->name, why.text);
    if (row->unit == KEY_YES)
        made.whole = (uint64_t)yes;
    if (row->unit != KEY_REAL)
        made.real = (double)made.whole;
    rc = row->unit == KEY_YES ? 0 : check_bounds(row, text, made.real, err);
    if (rc)
        return rc;
    if (row->per && row->unit != KEY_REAL)
        made.whole /= row->per;
    else if (row->per && made.real < 0x1p64) {
        uint64_t whole = (uint64_t)made.real / row->per;

        made.real = (double)whole;
    }
    *v = made;
    return 0;
}

int key_parse(const struct key_row *row, const char *text, struct key_value *v, struct err *err)
{
    if (is_word(row, text, v))
        return 0;
    switch (row->unit) {
    case KEY_YES:
    case KEY_REAL:
    case KEY_COUNT:
    case KEY_TIME:
    case KEY_RATE:
    case KEY_BYTES: return parse_number(row, text, v, err);
    case KEY_NAME:
        if (row->choices)
            return parse_choice(row, text, v, err);
        break;
    case KEY_FILE:
    case KEY_LIST:
    case KEY_MAP:   break;
    }
    if (!*text)
        return err_set(err, EINVAL, "%s must not be empty", row->name);
    *v = (struct key_value){ .text = text };
    return 0;
}

/* ---- fields ---- */

static void put_text(char **to, const char *text)
{
    free(*to);
    *to = xstrdup(text);
}

void key_store(const struct key_row *row, const struct key_value *v, void *into)
{
    void *to = (char *)into + row->at.offset;

    switch (row->at.type) {
    case KEY_NO_FIELD: break;
    case KEY_BOOL:     *(bool *)to = v->whole != 0;           break;
    case KEY_U8:       *(uint8_t *)to = (uint8_t)v->whole;    break;
    case KEY_U16:      *(uint16_t *)to = (uint16_t)v->whole;  break;
    case KEY_U32:      *(uint32_t *)to = (uint32_t)v->whole;  break;
    case KEY_U64:      *(uint64_t *)to = v->whole;            break;
    case KEY_DOUBLE:   *(double *)to = v->real;               break;
    case KEY_TEXT:     put_text(to, v->text);                 break;
    case KEY_BORROWED: *(const char **)to = v->text;          break;
    }
}

size_t key_bytes(const struct key_row *row)
{
    static const size_t size[] = { [KEY_BOOL] = sizeof(bool), [KEY_U8] = 1, [KEY_U16] = 2, [KEY_U32] = 4,
                                   [KEY_U64] = 8, [KEY_DOUBLE] = 8, [KEY_TEXT] = 0, [KEY_BORROWED] = 0 };

    return size[row->at.type];
}

void key_copy_like(const struct key_row *table, const struct key_row *row, void *into)
{
    const struct key_row *from = key_find(table, row->like);

    assert(from && from < row && from->at.type == row->at.type && row->at.type != KEY_TEXT);
    memcpy((char *)into + row->at.offset, (char *)into + from->at.offset, key_bytes(row));
}

void key_free_texts(const struct key_row *row, void *into)
{
    for (; row->name; row++) {
        if (row->at.type != KEY_TEXT)
            continue;
        free(*(char **)((char *)into + row->at.offset));
        *(char **)((char *)into + row->at.offset) = NULL;
    }
}

/* ---- reference pages ---- */

/* "- `rate` (rate, `100Gbps`): help"; a value that is a plain word has no type. */
void key_print_markdown(FILE *out, const struct key_row *k)
{
    putc('\n', out);
    for (; k->name; k++) {
        const char *type = k->unit == KEY_NAME ? "" : key_unit_name(k->unit);
        bool        is_by_model = strcmp(k->initial, "model") == 0;

        fprintf(out, "- `%s`", k->name);
        if (*type || *k->initial)
            fprintf(out, " (%s%s%s%s%s)", type, *type && *k->initial ? ", " : "",
                    *k->initial && !is_by_model ? "`" : "", is_by_model ? "by model" : k->initial,
                    *k->initial && !is_by_model ? "`" : "");
        fprintf(out, ": %s\n", k->about);
    }
}
