"""Tests of the client with tiny servers instead of a simulator."""
import os
import socket
import struct
import tempfile
import threading
import unittest

import numpy as np

import anole


def message(kind, payload=b""):
    return struct.pack("<II", kind, len(payload)) + payload


WELCOME = message(129, struct.pack("<IIffII", 1, 4, 0.8, 1.2, 3, 4) + b"test")


def batch(n, over=0, steps=7):
    """n agents, 10, 11, ...; agent i sees [1, 2, 3, i], reward -i, rate i / 10, RTT i us."""
    payload = struct.pack("<5Q4I", 1000, 2000, steps, 3, 4, n, 9, over, 0)
    payload += struct.pack(f"<{n}I", *range(10, 10 + n))
    for i in range(n):
        payload += struct.pack("<4f", 1, 2, 3, i)
    for scale in (-1, 0.1, 1):
        payload += struct.pack(f"<{n}f", *(scale * i for i in range(n)))
    return message(130, payload)


class Server:
    """Waits at a socket, reads one message for each answer and sends it, then closes."""

    def __init__(self, folder, answers):
        self.path = os.path.join(folder, "socket")
        self.got = []
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen(1)
        self.thread = threading.Thread(target=self.serve, args=(answers,))
        self.thread.start()

    def serve(self, answers):
        connection, _ = self.listener.accept()
        with connection, connection.makefile("rb") as stream:
            for answer in answers:
                kind, size = struct.unpack("<II", stream.read(8))
                self.got.append((kind, stream.read(size)))
                for i in range(0, len(answer), 13):              # in pieces, as from a network
                    connection.sendall(answer[i:i + 13])

    def close(self):
        self.thread.join()
        self.listener.close()


class ClientTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def serve(self, *answers):
        server = Server(self.folder.name, answers)
        self.addCleanup(server.close)
        return server

    def test_batches_and_actions_byte_by_byte(self):
        server = self.serve(WELCOME, batch(3), batch(0, over=1))
        with anole.Client(path=server.path) as client:
            self.assertEqual(("test", 4, 3), (client.name, client.features, client.worlds))
            first = client.reset(7)
            self.assertEqual([10, 11, 12], first.agent.tolist())
            self.assertEqual([[1, 2, 3, 0], [1, 2, 3, 1], [1, 2, 3, 2]], first.x.tolist())
            self.assertEqual([0, -1, -2], first.reward.tolist())
            np.testing.assert_allclose(first.rate, [0, 0.1, 0.2], rtol=1e-6)
            self.assertEqual([0, 1, 2], first.rtt_us.tolist())
            self.assertEqual((1000, 2000, 7, 3, 4, 9, False), (first.now_ps, first.end_ps, first.steps, first.payload_bytes,
                                                               first.dropped_packets, first.agents, first.over))
            last = client.act([1, 0.5, 2])
            self.assertTrue(last.over)
            self.assertEqual(0, last.agent.size)
        server.close()
        self.assertEqual([(1, b"AGYM\1\0\0\0"), (2, b"\7" + bytes(7)),
                          (3, struct.pack("<II3f", 3, 0, 1, 0.5, 2))], server.got)

    def test_errors_are_told_in_the_servers_words(self):
        server = self.serve(WELCOME, message(131, b"this seed bears no fruit"))
        with anole.Client(path=server.path) as client:
            with self.assertRaisesRegex(anole.GymError, "^this seed bears no fruit$"):
                client.reset(666)

    def test_another_version_is_refused(self):
        server = self.serve(message(129, struct.pack("<IIffII", 2, 4, 0.8, 1.2, 1, 0)))
        with self.assertRaisesRegex(anole.GymError, "version 2 of the protocol, this client 1"):
            anole.Client(path=server.path)

    def test_a_server_that_goes(self):
        server = self.serve(WELCOME, batch(3)[:20])
        with anole.Client(path=server.path) as client:
            with self.assertRaisesRegex(anole.GymError, "has gone"):
                client.reset(1)

    def test_a_batch_that_is_cut(self):
        whole = batch(3)
        server = self.serve(WELCOME, message(130, whole[8:-4]))
        with anole.Client(path=server.path) as client:
            with self.assertRaisesRegex(anole.GymError, "another size than it says"):
                client.reset(1)

    def test_wrong_numbers_of_actions(self):
        server = self.serve(WELCOME, batch(3))
        with anole.Client(path=server.path) as client:
            client.reset(1)
            with self.assertRaisesRegex(ValueError, "2 actions for 3 agents"):
                client.act([1, 1])

    def test_what_is_not_there(self):
        with self.assertRaisesRegex(anole.GymError, "No such file"):
            anole.Client(path=os.path.join(self.folder.name, "nowhere"))
        with self.assertRaisesRegex(anole.GymError, "No such file"):
            anole.Client("many_to_one:2_1", program=os.path.join(self.folder.name, "nowhere"))
        with self.assertRaises(ValueError):
            anole.Client()


if __name__ == "__main__":
    unittest.main()
