/* src/base/io/address.h - "host:port" and "[::1]:port". */
#ifndef BASE_IO_ADDRESS_H
#define BASE_IO_ADDRESS_H

#define ADDRESS_HOST_SIZE 256

struct address { char host[ADDRESS_HOST_SIZE], port[16]; };      /* host: without brackets */

/* -EINVAL: there is no port, or it is too long. The host may be empty. */
int address_split(struct address *, const char *text);

#endif
