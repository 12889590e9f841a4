#include "http/prom.h"
#include "base/err.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE_FIRST 4096

void prom_init(struct prom *p)
{
    *p = (struct prom){ .text = xmalloc(SIZE_FIRST), .size = SIZE_FIRST };
    p->text[0] = '\0';
}

static void add_bytes(struct prom *p, const char *text, size_t length)
{
    while (p->length + length + 1 > p->size)
        p->text = xrealloc(p->text, p->size *= 2);
    memcpy(p->text + p->length, text, length);
    p->length += length;
    p->text[p->length] = '\0';
}

static void add_text(struct prom *p, const char *text)
{
    add_bytes(p, text, strlen(text));
}

/* Escapes backslash, quote and newline in a label value. Replaces other control characters. */
static void add_escaped(struct prom *p, const char *text)
{
    for (; *text; text++)
        if (*text == '\\' || *text == '"') {
            add_bytes(p, "\\", 1);
            add_bytes(p, text, 1);
        } else if (*text == '\n')
            add_bytes(p, "\\n", 2);
        else
            add_bytes(p, (unsigned char)*text < ' ' || *text == 127 ? "?" : text, 1);
}

static void add_number(struct prom *p, double value)
{
    char text[40];

    if (isnan(value))
        add_text(p, "NaN");
    else if (isinf(value))
        add_text(p, value < 0 ? "-Inf" : "+Inf");
    else {
        snprintf(text, sizeof text, "%.15g", value);
        add_text(p, text);
    }
}

void prom_family(struct prom *p, const char *name, const char *type, const char *help)
{
    p->family = name;
    add_text(p, "# HELP ");
    add_text(p, name);
    add_text(p, " ");
    add_text(p, help);
    add_text(p, "\n# TYPE ");
    add_text(p, name);
    add_text(p, " ");
    add_text(p, type);
    add_text(p, "\n");
}

void prom_value(struct prom *p, double value, ...)
{
    const char *label;
    int         count = 0;
    va_list     args;

    add_text(p, p->family);
    va_start(args, value);
    for (label = va_arg(args, const char *); label; label = va_arg(args, const char *)) {
        add_text(p, count++ ? "," : "{");
        add_text(p, label);
        add_text(p, "=\"");
        add_escaped(p, va_arg(args, const char *));
        add_text(p, "\"");
    }
    va_end(args);
    add_text(p, count ? "} " : " ");
    add_number(p, value);
    add_text(p, "\n");
}

void prom_one(struct prom *p, const char *name, const char *type, const char *help, double value)
{
    prom_family(p, name, type, help);
    prom_value(p, value, NULL);
}

char *prom_end(struct prom *p)
{
    char *text = p->text;

    *p = (struct prom){ 0 };
    return text;
}
