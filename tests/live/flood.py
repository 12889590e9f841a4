"""tests/live/flood.py HOST:PORT KIND COUNT SECONDS [CA CERT KEY] - uses as many resources of a controller as it can.

KIND  half   COUNT silent connections
      tiny   COUNT connections with streams of invalid messages, as fast as they are accepted
      names  registers COUNT devices that do not exist, one stream each, and sends no reports (needs anole_pb2)
      gap    one device that demands ten years between changes (needs anole_pb2)

Prints 'ready' when all are open. Reopens closed connections."""
import socket
import ssl
import sys
import threading
import time

address, kind, count, seconds = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
host, port = address.rsplit(':', 1)
end = time.time() + seconds


def dial():
    return socket.create_connection((host, int(port)), timeout=10)


def half():
    all_of_them = []
    for _ in range(count):
        try:
            all_of_them.append(dial())
        except OSError:
            pass
    print('ready', flush=True)
    while time.time() < end:
        for i, s in enumerate(all_of_them):
            s.setblocking(False)
            try:
                is_closed = s.recv(1) == b''
            except BlockingIOError:
                is_closed = False
            except OSError:
                is_closed = True
            if is_closed:
                try:
                    all_of_them[i] = dial()
                except OSError:
                    pass
        time.sleep(0.05)


def frame(kind_, flags, stream, body):
    return len(body).to_bytes(3, 'big') + bytes([kind_, flags]) + stream.to_bytes(4, 'big') + body


def literal(name, value):
    return b'\x00' + bytes([len(name)]) + name + bytes([len(value)]) + value


def tiny():
    head = b''.join(literal(*h) for h in ((b':method', b'POST'), (b':scheme', b'https'), (b':path', b'/anole.v1.Fabric/Connect'),
                                          (b':authority', b'x'), (b'content-type', b'application/grpc')))
    body = frame(0, 0, 1, b'\0\0\0\0\1\xff' * 2700)

    def one():
        while time.time() < end:
            try:
                s = dial()
                if len(sys.argv) > 5:
                    context = ssl.create_default_context(cafile=sys.argv[5])
                    context.check_hostname = False
                    context.load_cert_chain(sys.argv[6], sys.argv[7])
                    context.set_alpn_protocols(['h2'])
                    s = context.wrap_socket(s)
                s.sendall(b'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n' + frame(4, 0, 0, b'') + frame(1, 4, 1, head))
                while time.time() < end:
                    s.sendall(body)
            except OSError:
                time.sleep(0.1)
    threads = [threading.Thread(target=one, daemon=True) for _ in range(count)]
    for t in threads:
        t.start()
    print('ready', flush=True)
    time.sleep(max(0, end - time.time()))


def grpc_streams():
    sys.path.insert(0, '.')
    import anole_pb2 as pb
    import grpc

    def read(path):
        with open(path, 'rb') as f:
            return f.read()

    channel = grpc.secure_channel(address, grpc.ssl_channel_credentials(read(sys.argv[5]), read(sys.argv[7]), read(sys.argv[6])))
    connect = channel.stream_stream('/anole.v1.Fabric/Connect', request_serializer=pb.Message.SerializeToString,
                                    response_deserializer=pb.Message.FromString)
    name = sys.argv[6].rsplit('.', 1)[0]

    def talk(i):
        knobs = [pb.Knob(name='rpg_ai_rate', value=5)]
        gap = 10 * 365 * 86400 * 10**6 if kind == 'gap' else 100000
        yield pb.Message(kind=pb.HELLO, incarnation=7, stamp_us=1, set=knobs,
                         hello=pb.Hello(version=1, name=f'{name}/invented{i}', where=pb.NIC, confirmed=knobs, baseline=knobs,
                                        may_write=True, interval_us=100000, gap_us=gap))
        while time.time() < end:
            if kind == 'gap':
                yield pb.Message(kind=pb.REPORT, incarnation=7, stamp_us=int(time.time() * 1e6),
                                 sample=pb.Sample(interval_us=100000, metric=0.5, has_metric=True))
            time.sleep(0.1)

    def one(i):
        try:
            for _ in connect(talk(i), timeout=seconds + 5):
                pass
        except grpc.RpcError:
            pass
    threads = [threading.Thread(target=one, args=(i,), daemon=True) for i in range(count)]
    for t in threads:
        t.start()
    print('ready', flush=True)
    time.sleep(max(0, end - time.time()))


{'half': half, 'tiny': tiny, 'names': grpc_streams, 'gap': grpc_streams}[kind]()
