"""Serves the files of ROOT by HTTPS, as outboard bench https --server python measures it.

Arguments: ADDRESS PORT ROOT USER CIPHERS {CERTIFICATE KEY}... USER, if not empty, is the user who
serves. CIPHERS, if not empty, are those of TLS 1.2; Python offers all suites of TLS 1.3.
"""

import functools
import http.server
import os
import pwd
import socket
import ssl
import sys

address, port, root, user, ciphers = sys.argv[1:6]
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.minimum_version = ssl.TLSVersion.TLSv1_2
if ciphers:
    context.set_ciphers(ciphers)
for certificate, key in zip(sys.argv[6::2], sys.argv[7::2]):
    context.load_cert_chain(certificate, key)


class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    address_family = socket.AF_INET6 if ":" in address else socket.AF_INET
    # The clients of a measurement connect at once.
    request_queue_size = 256


server = Server((address, int(port)), functools.partial(Handler, directory=root))
# The handshake is in the thread of the connection, at its first read.
server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
if user:
    entry = pwd.getpwnam(user)
    os.setgroups([])
    os.setgid(entry.pw_gid)
    os.setuid(entry.pw_uid)
server.serve_forever()
