"""tests/live/burst.py HOST:PORT CA CERT KEY - sends 300 messages at once, each in its own TLS record, and nothing more.
All must be answered.

The messages are HTTP/2 pings, because each has an answer. By then OpenSSL has buffered the rest. A server that stops
early and waits for the kernel to report more data would wait forever."""
import socket
import ssl
import sys

COUNT = 300
PING, ACK = 6, 1


def frame(kind, flags, body):
    return len(body).to_bytes(3, 'big') + bytes([kind, flags]) + bytes(4) + body


def acks_in(data):
    """Returns the number of ping answers in these frames."""
    count = 0
    while len(data) >= 9 and len(data) >= 9 + int.from_bytes(data[:3], 'big'):
        count += data[3] == PING and data[4] & ACK
        data = data[9 + int.from_bytes(data[:3], 'big'):]
    return count


def main():
    host, port = sys.argv[1].rsplit(':', 1)
    context = ssl.create_default_context(cafile=sys.argv[2])
    context.check_hostname = False
    context.load_cert_chain(sys.argv[3], sys.argv[4])
    context.set_alpn_protocols(['h2'])
    heard, said = ssl.MemoryBIO(), ssl.MemoryBIO()
    tls = context.wrap_bio(heard, said)
    data = b''
    with socket.create_connection((host, int(port)), timeout=60) as s:
        while True:
            try:
                tls.do_handshake()
                break
            except ssl.SSLWantReadError:
                s.sendall(said.read())
                heard.write(s.recv(65536))
        tls.write(b'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n' + frame(4, 0, b''))
        for i in range(COUNT):
            tls.write(frame(PING, 0, i.to_bytes(8, 'big')))
        s.sendall(said.read())
        while acks_in(data) < COUNT:
            try:
                data += tls.read(65536)
            except ssl.SSLWantReadError:
                more = s.recv(65536)
                if not more:
                    sys.exit(f'closed after {acks_in(data)} answers')
                heard.write(more)


try:
    main()
except TimeoutError:
    sys.exit('not everything was answered')
