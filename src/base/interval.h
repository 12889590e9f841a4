/* src/base/interval.h - the ends of an interval. */
#ifndef BASE_INTERVAL_H
#define BASE_INTERVAL_H

struct interval { double low, high; };

#endif
