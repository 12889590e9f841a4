# tests/live/client.py ADDRESS [CA CERT KEY] - an agent and an operator in Python, from the same .proto (needs
# anole_pb2).
#
# Registers as a NIC, reports, and expects leases that repeat the stamps. Asks for the status and finds itself
# in it. Then sends an invalid message, which the controller must survive.
import json
import queue
import sys
import time

sys.path.insert(0, ".")
import anole_pb2 as pb
import grpc

def read(path):
    with open(path, "rb") as f:
        return f.read()

if len(sys.argv) > 2:                    # ca, cert, key; "-" for none
    cert, key = (read(sys.argv[3]), read(sys.argv[4])) if sys.argv[3] != "-" else (None, None)
    channel = grpc.secure_channel(sys.argv[1], grpc.ssl_channel_credentials(read(sys.argv[2]), key, cert))
else:
    channel = grpc.insecure_channel(sys.argv[1])
connect = channel.stream_stream("/anole.v1.Fabric/Connect", request_serializer=lambda m: m if isinstance(m, bytes) else
                                m.SerializeToString(), response_deserializer=pb.Message.FromString)
ask = channel.unary_unary("/anole.v1.Fabric/Ask", request_serializer=pb.Question.SerializeToString,
                          response_deserializer=pb.Reply.FromString)
out = queue.Queue()
answers = connect(iter(out.get, None), timeout=30)

knobs = [pb.Knob(name="rpg_ai_rate", value=5)]
hello = pb.Message(kind=pb.HELLO, incarnation=7, stamp_us=1, set=knobs,
                   hello=pb.Hello(version=1, name="python/nic", where=pb.NIC, confirmed=knobs, baseline=knobs, interval_us=100000))
out.put(hello)
out.put(b"\xff\xff\xff")
for stamp in range(2, 80):
    out.put(pb.Message(kind=pb.REPORT, incarnation=7, stamp_us=stamp, sample=pb.Sample(interval_us=100000, metric=0.5, has_metric=True)))
    time.sleep(0.1)

reply = ask(pb.Question(version=1, verb="status"), timeout=10)
devices = json.loads(reply.text)["devices"]
assert [d["name"] for d in devices] == ["python/nic"], devices
assert ask(pb.Question(version=2, verb="status"), timeout=10).error, "another version is refused"
assert ask(pb.Question(version=1, verb="dance"), timeout=10).error

leases = []
for message in answers:
    if message.kind == pb.LEASE:
        assert message.incarnation == 7 and message.term > 0
        leases.append(message.stamp_us)
    else:
        assert message.kind == pb.WHO, message
    if leases and leases[-1] >= 74:
        break
# Each lease answers one report, none twice, and about every third report is answered.
assert leases == sorted(set(leases)) and set(leases) <= set(range(2, 80)), leases
assert len(leases) >= 4 and max(b - a for a, b in zip(leases, leases[1:])) <= 8, leases
print(f"{len(leases)} leases")
out.put(None)
