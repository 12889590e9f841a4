/* src/base/print/form.h - the self-contained HTML page that shows results in a browser.
 *
 * It is built from web/ (tools/build-page) and embedded in the program (tools/embed-page). Data replace its
 * marker. web/src/data.ts defines the format of the data.
 */
#ifndef BASE_PRINT_FORM_H
#define BASE_PRINT_FORM_H

#include <stddef.h>
#include <stdio.h>

extern const char   page_html[];
extern const size_t page_html_size;

#define PAGE_MARKER "/*anole-data*/"     /* occurs once in the page, before the data */
#define PAGE_STATIC "<!--anole-static-->"        /* before it: place of HTML for readers without scripts */

/* Writes the page with this JSON. 'html' (or NULL) is shown until, or unless, scripts build the page. */
void form_print(const char *json, const char *html, FILE *);

/* Writes a page of HTML without data, with this title. Scripts add copying and printing. */
void form_print_still(const char *title, const char *html, FILE *);

#endif
