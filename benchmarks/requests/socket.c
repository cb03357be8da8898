// SPDX-License-Identifier: Apache-2.0
/* A connection whose other end, a thread of this process, discards what arrives. */
#include <arpa/inet.h>
#include <linux/tls.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "socket.h"

#ifndef SOL_TLS
#define SOL_TLS 282
#endif

static int sender = -1, receiver = -1;

static void *discard(void *unused)
{
	/* TCP copies nothing with MSG_TRUNC: tcp(7). */
	while (recv(receiver, NULL, 1 << 20, MSG_TRUNC) > 0)
		;
	return unused;
}

/* The kernel encrypts what is sent: Documentation/networking/tls.rst. */
static int set_keys(const char *cipher)
{
	struct tls12_crypto_info_aes_gcm_128 aes = {
		.info = { TLS_1_3_VERSION, TLS_CIPHER_AES_GCM_128 }, .key = "0123456789abcde"
	};
	struct tls12_crypto_info_chacha20_poly1305 chacha = {
		.info = { TLS_1_3_VERSION, TLS_CIPHER_CHACHA20_POLY1305 }, .key = "0123456789abcde"
	};

	if (setsockopt(sender, IPPROTO_TCP, TCP_ULP, "tls", sizeof("tls")))
		return -1;
	if (!strcmp(cipher, "AES-128-GCM"))
		return setsockopt(sender, SOL_TLS, TLS_TX, &aes, sizeof(aes));
	if (!strcmp(cipher, "ChaCha20-Poly1305"))
		return setsockopt(sender, SOL_TLS, TLS_TX, &chacha, sizeof(chacha));
	return -1;
}

int open_socket(const char *ktls)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t length = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	pthread_t thread;

	sender = socket(AF_INET, SOCK_STREAM, 0);
	if (listener < 0 || sender < 0 || bind(listener, (void *)&address, length) || listen(listener, 1) ||
	    getsockname(listener, (void *)&address, &length) || connect(sender, (void *)&address, length))
		return -1;
	receiver = accept(listener, NULL, NULL);
	close(listener);
	if (receiver < 0 || (ktls && set_keys(ktls)))
		return -1;
	return pthread_create(&thread, NULL, discard, NULL) ? -1 : 0;
}

int send_record(const unsigned char *record, int bytes)
{
	return send(sender, record, bytes, 0) == bytes ? 0 : -1;
}
