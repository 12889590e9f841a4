# tests/live/server.py PORT [CA CERT KEY] - a controller's end for agents, in Python, from the same .proto
# (needs anole_pb2).
#
# Receives an agent's hello and reports, and answers each with a lease. Ends the first stream with a status
# after ten reports, and expects the agent to reconnect. Prints "REPORTS reports on 2 streams". Answers
# queries with their verb.
import concurrent.futures
import json
import sys
import threading

sys.path.insert(0, ".")
import anole_pb2 as pb
import grpc

def read(path):
    with open(path, "rb") as f:
        return f.read()

done = threading.Event()
streams = []
reports = []

def connect(requests, context):
    first = next(requests)
    assert first.kind == pb.HELLO and first.hello.version == 1 and first.hello.name == "host1/mlx5_0", first
    if len(sys.argv) > 2:
        assert context.auth_context()["x509_common_name"] == [b"host1"], context.auth_context()
    streams.append(first.incarnation)
    yield pb.Message(kind=pb.WHO, incarnation=first.incarnation)
    stamp = heard = 0
    for m in requests:
        if m.kind == pb.HELLO:
            continue
        assert m.kind == pb.REPORT and m.incarnation == first.incarnation and m.stamp_us > stamp, m
        stamp = m.stamp_us
        heard += 1
        reports.append(stamp)
        yield pb.Message(kind=pb.LEASE, incarnation=m.incarnation, stamp_us=m.stamp_us, term=7)
        if heard == 10 and len(streams) == 1:
            context.abort(grpc.StatusCode.UNAVAILABLE, "come back later, 100 % sure")
        if heard == 30:
            done.set()

def ask(question, context):
    return pb.Reply(text=json.dumps({"asked": question.verb}))

service = grpc.method_handlers_generic_handler("anole.v1.Fabric", {
    "Connect": grpc.stream_stream_rpc_method_handler(connect, pb.Message.FromString, pb.Message.SerializeToString),
    "Ask": grpc.unary_unary_rpc_method_handler(ask, pb.Question.FromString, pb.Reply.SerializeToString)})
server = grpc.server(concurrent.futures.ThreadPoolExecutor(8), handlers=[service])
address = f"127.0.0.1:{sys.argv[1]}"
if len(sys.argv) > 2:
    server.add_secure_port(address, grpc.ssl_server_credentials([(read(sys.argv[4]), read(sys.argv[3]))], read(sys.argv[2]), True))
else:
    server.add_insecure_port(address)
server.start()
print("listening", flush=True)
if not done.wait(60):
    sys.exit(f"{len(reports)} reports on {len(streams)} streams")
assert len(set(streams)) == 1, "the agent is the same as before"
print(f"{len(reports)} reports on {len(streams)} streams", flush=True)
server.stop(2)
