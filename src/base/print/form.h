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

/* Writes the page with this JSON in it. */
void form_print(const char *json, FILE *);

#endif
