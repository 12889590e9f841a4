#include "base/http/prom.h"
#include "base/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void prom_init(struct prom *p)
{
    *p = (struct prom){ 0 };
    p->out = text_stream(&p->text);
}

/* Escapes backslash, quote and newline in a label value. Replaces other control characters. */
static void print_escaped(FILE *out, const char *text)
{
    for (; *text; text++)
        if (*text == '\n')
            fputs("\\n", out);
        else
            fprintf(out, *text == '\\' || *text == '"' ? "\\%c" : "%c",
                    (unsigned char)*text < ' ' || *text == 127 ? '?' : *text);
}

void prom_family(struct prom *p, const char *name, const char *type, const char *help)
{
    p->family = name;
    fprintf(p->out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

void prom_value(struct prom *p, double value, ...)
{
    const char *label;
    int         count = 0;
    va_list     args;

    fputs(p->family, p->out);
    va_start(args, value);
    for (label = va_arg(args, const char *); label; label = va_arg(args, const char *)) {
        fprintf(p->out, "%s%s=\"", count++ ? "," : "{", label);
        print_escaped(p->out, va_arg(args, const char *));
        fputc('"', p->out);
    }
    va_end(args);
    fputs(count ? "} " : " ", p->out);
    if (isfinite(value))
        fprintf(p->out, "%.15g\n", value);
    else
        fputs(isnan(value) ? "NaN\n" : value < 0 ? "-Inf\n" : "+Inf\n", p->out);
}

void prom_one(struct prom *p, const char *name, const char *type, const char *help, double value)
{
    prom_family(p, name, type, help);
    prom_value(p, value, NULL);
}

char *prom_end(struct prom *p)
{
    fclose(p->out);
    char *text = p->text;
    *p = (struct prom){ .out = NULL };
    return text;
}
