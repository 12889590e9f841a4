/* src/base/print/form.h - the page that shows data in a browser, without a network.
 *
 * It is built from web/ and kept in web/report.html; the program carries it (tools/embed-page) and puts data in where its marker
 * stands. web/src/data.ts says what data may be.
 */
#ifndef BASE_PRINT_FORM_H
#define BASE_PRINT_FORM_H

#include <stddef.h>
#include <stdio.h>

extern const char   page_html[];
extern const size_t page_html_size;

#define PAGE_MARKER "/*anole-data*/"     /* stands once in the page, where its data go */
#define PAGE_STATIC "<!--anole-static-->"        /* before it: where HTML goes that is readable without scripts */

/* Writes the page with this JSON in it. 'html' is shown until scripts have built the page, or if there are none; NULL: nothing. */
void form_print(const char *json, const char *html, FILE *);

/* Writes the style sheet of the page, for pages without scripts. */
void form_print_style(FILE *);

#endif
