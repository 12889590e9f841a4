/* standin/twin/authority.h - certificates made on the spot: for trying things on one machine. */
#ifndef STANDIN_TWIN_AUTHORITY_H
#define STANDIN_TWIN_AUTHORITY_H

#include "base/err.h"

/* Creates a certificate authority, ca.pem, and for each name (NULL-terminated) NAME.pem and NAME.key in the
 * folder. They are valid for a day, on this machine; the authority's key is not stored. Names are short and
 * of letters. */
int authority_make(const char *folder, const char *const names[], struct err *);

#endif
