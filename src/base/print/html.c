/* src/base/print/html.c - see html.h. web/src/still.ts adds copying. */
#include "base/print/html.h"

#include "base/print/terminal.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

void html_text(FILE *out, const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        const char *entity = *c == '<' ? "&lt;" : *c == '>' ? "&gt;" : *c == '&' ? "&amp;"
            : *c == '"' ? "&quot;" : NULL;

        if (entity)
            fputs(entity, out);
        else
            fputc((*c < 0x20 && *c != '\n') || *c == 0x7f ? '?' : *c, out);
    }
}

/* ---- words ---- */

#define HARD_SPACE "\u00a0"

/* Writes signs that a terminal lacks. 'before' is the character before. Returns the length, or 0. */
static size_t put_sign(FILE *out, const char *text, char before)
{
    bool is_number = isdigit((unsigned char)text[1]);

    if (strncmp(text, "->", 2) == 0)
        return fputs("→", out), 2;
    if (strncmp(text, ">=", 2) == 0)
        return fputs("≥" HARD_SPACE, out), 2 + (text[2] == ' ');
    if (*text == '-' && is_number && strchr(" (", before))
        return fputs("\u2212", out), 1;
    if (*text != ' ' || !isdigit((unsigned char)before) || !terminal_is_unit(text + 1))
        return 0;
    fputs(HARD_SPACE, out);
    return strncmp(text, " us", 3) == 0 ? fputs("µs", out), 3 : 1;
}

void html_words(FILE *out, const char *text)
{
    char   before = ' ';
    size_t length;

    for (const char *c = text; *c; c += length) {
        length = put_sign(out, c, before);
        if (!length)
            html_text(out, (const char[]){ *c, '\0' });
        length = length ? length : 1;
        before = c[length - 1];
    }
}

/* ---- elements ---- */

static void put_element(FILE *out, const char *tag, const char *class, const char *text,
                        void (*put)(FILE *, const char *))
{
    if (!*text)
        return;
    fprintf(out, "<%s%s%s%s>", tag, class ? " class=\"" : "", class ? class : "", class ? "\"" : "");
    put(out, text);
    fprintf(out, "</%s>\n", tag);
}

void html_element(FILE *out, const char *tag, const char *class, const char *text)
{
    put_element(out, tag, class, text, html_text);
}

void html_prose(FILE *out, const char *tag, const char *class, const char *text)
{
    put_element(out, tag, class, text, html_words);
}

void html_begin(FILE *out, const char *kind, const char *name, const struct html_link *links)
{
    fputs("<div class=\"report still\"><a class=\"skip\" href=\"#main\">Skip to the answer</a>\n"
          "<header class=\"top\"><p class=\"product\"><strong>Anole</strong> &middot; ",
          out);
    html_text(out, kind);
    fputs(" &middot; ", out);
    html_text(out, name);
    fputs("</p><nav aria-label=\"Contents\">", out);
    for (; links->id; links++) {
        fprintf(out, "<a href=\"#%s\">", links->id);
        html_text(out, links->text);
        fputs("</a>", out);
    }
    fputs("</nav></header>\n<main id=\"main\">\n", out);
}

void html_footer(FILE *out, const char *label, const char *text)
{
    fputs("<div>", out);
    html_element(out, "dt", NULL, label);
    html_element(out, "dd", NULL, text);
    fputs("</div>\n", out);
}

void html_end(FILE *out)
{
    fputs("</dl></footer></div>\n", out);
}

void html_section(FILE *out, const char *id, const char *title, const char *hint)
{
    fprintf(out, "<section id=\"%s\"><h2>%s</h2>", id, title);
    html_element(out, "p", "hint", hint);
}

static void put_button(FILE *out, const char *id, const char *what)
{
    fprintf(out, "<button type=\"button\" data-copy=\"%s\" aria-label=\"Copy the %s\" hidden>Copy</button>",
            id, what);
}

void html_command(FILE *out, const char *id, const char *text)
{
    fprintf(out, "<div class=\"command\"><code id=\"%s\" tabindex=\"0\">", id);
    html_text(out, text);
    fputs("</code>", out);
    put_button(out, id, "command");
    fputs("</div>\n", out);
}

void html_script(FILE *out, const char *id, const char *name, const char *text)
{
    fprintf(out, "<div class=\"script\"><div class=\"command\"><code>%s</code>", name);
    put_button(out, id, "script");
    fprintf(out, "</div><pre id=\"%s\" tabindex=\"0\" aria-label=\"%s\">", id, name);
    html_text(out, text);
    fputs("</pre></div>\n", out);
}

void html_percent(FILE *out, double percent)
{
    double whole = round(percent);

    fprintf(out, "%s%.0f&nbsp;%%", whole < 0 ? "&minus;" : whole > 0 ? "+" : "&plusmn;", fabs(whole));
}
