/* src/standin/twin/authority.h - certificates made on the spot: for trying things on one machine. */
#ifndef STANDIN_TWIN_AUTHORITY_H
#define STANDIN_TWIN_AUTHORITY_H

#include "base/err.h"

/* Makes an authority that nobody else knows, and with it NAME.pem and NAME.key in the folder for each of the
 * names (the last is followed by NULL), and ca.pem. They are good for a day, on this machine; the authority's
 * key is written nowhere. Names are short and of letters. */
int authority_make(const char *folder, const char *const names[], struct err *);

#endif
