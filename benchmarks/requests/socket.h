/* SPDX-License-Identifier: Apache-2.0 */
/* A connection to this process. 0: success; -1: failure, with errno. */
#ifndef SOCKET_H
#define SOCKET_H

/* Opens the connection. With the name of a cipher the kernel encrypts what is sent (kTLS). */
int open_socket(const char *ktls);

int send_record(const unsigned char *record, int bytes);

#endif
