/* src/base/print/html.h - parts of pages that are written as HTML, without scripts. */
#ifndef BASE_PRINT_HTML_H
#define BASE_PRINT_HTML_H

#include <stdio.h>

/* Text in HTML: markup is escaped, control characters become '?'. */
void html_text(FILE *, const char *);

/* The same with signs: "383 us" becomes "383 µs" with a hard space, "->" an arrow, ... */
void html_words(FILE *, const char *);

/* <tag class="class">text</tag>; no text: nothing. 'class' may be NULL. Prose is as by html_words(). */
void html_element(FILE *, const char *tag, const char *class, const char *text);
void html_prose(FILE *, const char *tag, const char *class, const char *text);

struct html_link {
    const char *id, *text;
};

/* The first line of a report, "Anole · advice · NAME", with links to its sections (the list ends with a NULL
 * id). Opens <main>. */
void html_begin(FILE *, const char *kind, const char *name, const struct html_link *);

/* Footer rows, then the end of what html_begin() opened. */
void html_footer(FILE *, const char *label, const char *text);
void html_end(FILE *);

/* Opens a section with a heading and a note next to it ("": none). */
void html_section(FILE *, const char *id, const char *title, const char *hint);

/* A line or a block that the reader can copy: a command, a script. 'id' is unique in the page. */
void html_command(FILE *, const char *id, const char *text);
void html_script(FILE *, const char *id, const char *name, const char *text);

/* A percentage with a sign: "−12 %", "+3 %". */
void html_percent(FILE *, double percent);

#endif
