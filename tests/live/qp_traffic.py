#!/usr/bin/env python3
"""tests/live/qp_traffic.py NIC KIND - growing counters of a NIC's port and its queue pairs, in a file tree. The file KIND
contains 'mice' (always new queue pairs that send little) or 'elephants' (a few that send much). Files are replaced
atomically, so readers see a consistent state."""
import os
import sys
import time

import qp_answer

nic, kind = sys.argv[1:]
number, sent = 100, 0


def replace(path, content):
    with open(path + ".new", "wb") as f:
        f.write(content)
    os.replace(path + ".new", path)


while True:
    with open(kind, encoding="ascii") as f:
        is_mice = f.read().strip() == "mice"
    number += 20
    sent += 4000000
    pairs = [(number + i, 3000) for i in range(20)] if is_mice else [(10 + i, sent) for i in range(8)]
    replace(nic + "/rdma/mlx5_0", qp_answer.answer(pairs))
    replace(nic + "/sys/class/infiniband/mlx5_0/ports/1/counters/port_xmit_data", b"%d\n" % (8 * sent // 4))
    time.sleep(0.03)
