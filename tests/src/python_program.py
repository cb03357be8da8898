# A Python program that uses hashes and TLS, without any support for providers.
# Usage: FOLDER VERSION SUITE BYTES. Prints results that must not depend on the provider.
import hashlib, hmac, os, socket, ssl, sys, threading

folder, version, suite, size = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
data = bytes(range(251)) * (size // 251)

for name in 'sha1', 'sha224', 'sha256', 'sha384', 'sha512':
    half = hashlib.new(name, data[:60000])
    other = half.copy()
    half.update(data[60000:120000])
    other.update(b'and another end')
    print(name, half.hexdigest(), other.hexdigest(), hmac.new(b'key', data[:100000], name).hexdigest())
    reader, writer = os.pipe()
    if os.fork() == 0:
        half.update(b'in the child')
        os.write(writer, half.hexdigest().encode())
        os._exit(0)
    os.wait()
    half.update(b'in the parent')
    print(name, os.read(reader, 200).decode(), half.hexdigest())


def context(protocol):
    made = ssl.SSLContext(protocol)
    made.check_hostname, made.verify_mode = False, ssl.CERT_NONE
    made.minimum_version = made.maximum_version = getattr(ssl.TLSVersion, version)
    if version == 'TLSv1_2':
        made.set_ciphers(suite + ':@SECLEVEL=0')
    return made


def receive(connection):
    parts, missing = [], len(data)
    while missing:
        parts.append(connection.recv(65536))
        if not parts[-1]:
            sys.exit('the other side hung up')
        missing -= len(parts[-1])
    return b''.join(parts)


def serve(listener):
    made = context(ssl.PROTOCOL_TLS_SERVER)
    made.load_cert_chain(folder + '/cert.pem', folder + '/key.pem')
    with made.wrap_socket(listener.accept()[0], server_side=True) as connection:
        connection.sendall(receive(connection)[::-1])


listener = socket.create_server(('127.0.0.1', 0))
threading.Thread(target=serve, args=(listener,), daemon=True).start()
with context(ssl.PROTOCOL_TLS_CLIENT).wrap_socket(socket.create_connection(listener.getsockname())) as connection:
    connection.sendall(data)
    print(version, connection.cipher()[0], receive(connection) == data[::-1])
