#include "base/print/card.h"
#include "base/err.h"
#include "base/json.h"
#include "base/print/html.h"
#include "base/print/safe.h"
#include "base/print/terminal.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LABEL_WIDTH 11           /* of what stands in front of a line on a terminal */
#define LINE_WIDTH  100          /* of a stream that is no terminal */

/* key: in JSON; label: on a terminal; question: on a page. */
static const struct { const char *key, *label, *question; } field_info[CARD_FIELDS] = {
    [CARD_FINDING] = { "finding", "Answer", "Answer" },
    [CARD_DETAIL] = { "detail", "", "" },
    [CARD_COST] = { "cost", "Cost", "What it costs" },
    [CARD_SURE] = { "certainty", "Certainty", "How sure" },
    [CARD_NETWORK] = { "network", "Network", "Network" },
    [CARD_TRAFFIC] = { "traffic", "Traffic", "Traffic" },
    [CARD_SETTING] = { "settings", "Settings", "Settings" },
    [CARD_NEXT] = { "next", "Next", "Next" },
    [CARD_COMMAND] = { "command", "", "" },
};

/* ---- filling ---- */

static void append(char **text, const char *more)
{
    size_t length = *text ? strlen(*text) : 0;

    *text = xrealloc(*text, length + strlen(more) + 1);
    memcpy(*text + length, more, strlen(more) + 1);
}

static void append_format(char **text, const char *between, const char *format, va_list args)
{
    char *more = safe_format(format, args);

    if (*text && *more)
        append(text, between);
    append(text, more);
    free(more);
}

void card_add(struct card *c, enum card_field field, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    append_format(&c->text[field], " ", format, args);
    va_end(args);
}

void card_append(struct card *c, enum card_field field, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    append_format(&c->text[field], "", format, args);
    va_end(args);
}

void card_capitalise(struct card *c, enum card_field field)
{
    if (c->text[field])
        c->text[field][0] = (char)toupper((unsigned char)c->text[field][0]);
}

static bool needs_quotes(const char *text)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./=,:%+@";

    return !*text || text[strspn(text, plain)] != '\0';
}

void card_add_argument(struct card *c, const char *argument)
{
    char one[2] = "", *quoted = NULL;

    if (!needs_quotes(argument)) {
        card_add(c, CARD_COMMAND, "%s", argument);
        return;
    }
    append(&quoted, "'");
    for (; *argument; argument++) {
        one[0] = *argument;
        append(&quoted, *argument == '\'' ? "'\\''" : one);
    }
    append(&quoted, "'");
    /* a name that a terminal would obey is escaped, and cannot be copied */
    card_add(c, CARD_COMMAND, "%s", quoted);
    free(quoted);
}

void card_add_path(struct card *c, const char *path)
{
    char *folder = path[0] == '/' || strcmp(path, "-") == 0 ? NULL : getcwd(NULL, 0);
    char *whole = folder ? xprintf("%s/%s", folder, strncmp(path, "./", 2) == 0 ? path + 2 : path) : NULL;

    card_add_argument(c, whole ? whole : path);
    free(whole);
    free(folder);
}

void card_add_variant(struct card *c, const char *name, const char *const *set, uint32_t sets)
{
    char *text = NULL;

    append(&text, name);
    for (uint32_t i = 0; i < sets; i++) {
        append(&text, i ? "," : ":");
        append(&text, set[i]);
    }
    card_add_argument(c, text);
    free(text);
}

/* Number of arguments to leave out here: 0, 1, or 2 with a separate value. "!-q" takes no value. */
static int count_left_out(const char *argument, const char *const *without)
{
    for (; *without; without++) {
        bool        is_flag = (*without)[0] == '!';
        const char *name = *without + is_flag;
        size_t      length = strlen(name);
        bool        is_long = name[1] == '-';

        if (strcmp(argument, name) == 0)
            return is_flag ? 1 : 2;
        if (!is_flag && strncmp(argument, name, length) == 0 && (!is_long || argument[length] == '='))
            return 1;
    }
    return 0;
}

void card_add_command(struct card *c, int argc, char *const *argv, const char *const *without)
{
    card_add(c, CARD_COMMAND, "%s", argv[0]);
    for (int i = 1; i < argc; i++) {
        int left_out = count_left_out(argv[i], without);

        if (left_out)
            i += left_out - 1;
        else
            card_add_argument(c, argv[i]);
    }
}

const char *card_text(const struct card *c, enum card_field field)
{
    return c->text[field] ? c->text[field] : "";
}

void card_fini(struct card *c)
{
    for (int i = 0; i < CARD_FIELDS; i++)
        free(c->text[i]);
    *c = (struct card){ 0 };
}

/* ---- on a terminal ---- */

static void print_labelled(const struct card *c, enum card_field field, FILE *out, int width)
{
    if (!*card_text(c, field))
        return;
    fprintf(out, "  %-*s", LABEL_WIDTH, field_info[field].label);
    terminal_words(out, card_text(c, field), LABEL_WIDTH + 2, LABEL_WIDTH + 2, width);
}

void card_print(const struct card *c, FILE *out, bool has_colour)
{
    int width = terminal_width(out);

    width = width > 40 ? width : LINE_WIDTH;
    fputs(has_colour ? "\033[1m" : "", out);
    terminal_words(out, card_text(c, CARD_FINDING), 0, 0, width);
    fputs(has_colour ? "\033[0m" : "", out);
    if (*card_text(c, CARD_DETAIL))
        terminal_words(out, card_text(c, CARD_DETAIL), 0, 0, width);
    fputc('\n', out);
    for (enum card_field i = CARD_COST; i <= CARD_NEXT; i++)
        print_labelled(c, i, out, width);
    if (*card_text(c, CARD_COMMAND))         /* one line, however long: it is there to be copied */
        fprintf(out, "  %-*s%s\n", LABEL_WIDTH, *card_text(c, CARD_NEXT) ? "" : field_info[CARD_NEXT].label,
                card_text(c, CARD_COMMAND));
}

/* ---- JSON ---- */

json_t *card_json(const struct card *c)
{
    json_t *o = json_object();

    for (int i = 0; i < CARD_FIELDS; i++)
        json_object_set_new(o, field_info[i].key, c->text[i] ? json_of_text(c->text[i]) : json_null());
    return o;
}

void card_end(struct card *c, FILE *out, bool has_colour)
{
    card_print(c, out, has_colour);
    card_fini(c);
}

json_t *card_end_json(struct card *c)
{
    json_t *made = card_json(c);

    card_fini(c);
    return made;
}

void card_of_json(struct card *c, const json_t *o)
{
    *c = (struct card){ 0 };
    for (int i = 0; i < CARD_FIELDS; i++)
        if (json_is_string(json_object_get(o, field_info[i].key)))
            append(&c->text[i], json_get_text(o, field_info[i].key));
}

/* ---- HTML ---- */

void card_html(const struct card *c, FILE *out)
{
    fputs("<section class=\"answer\" id=\"answer\" aria-label=\"Answer\"><div>\n<p "
          "class=\"eyebrow\">Answer</p>\n",
          out);
    html_prose(out, "h1", NULL, card_text(c, CARD_FINDING));
    html_prose(out, "p", "detail", card_text(c, CARD_DETAIL));
    if (*card_text(c, CARD_COMMAND)) {
        fputs("<div class=\"next\"><p>Next", out);
        if (*card_text(c, CARD_NEXT)) {
            fputs(": ", out);
            html_words(out, card_text(c, CARD_NEXT));
        }
        fputs("</p>\n", out);
        html_command(out, "next-command", card_text(c, CARD_COMMAND));
        fputs("</div>\n", out);
    }
    fputs("</div><dl>\n", out);
    for (enum card_field i = CARD_COST; i < CARD_NEXT; i++)
        if (*card_text(c, i)) {
            fputs("<div>", out);
            html_element(out, "dt", NULL, field_info[i].question);
            html_prose(out, "dd", NULL, card_text(c, i));
            fputs("</div>\n", out);
        }
    fputs("</dl></section>\n", out);
}
