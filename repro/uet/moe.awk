# repro/uet/moe.awk - a GOAL file: four layers of a mixture of experts on 64 ranks. In each layer every rank sends 2 MB of
# tokens to the experts, one per rank, computes for 20 us when all tokens for its expert have arrived, sends results back,
# and computes again. The k-th most popular expert gets a share proportional to k^-0.4, the first 3.3 times the mean. The
# order of experts changes with the layer.
#     awk -v seed=N -f moe.awk >moe.goal
function shuffle(    i, j, k) {
    for (i = 0; i < ranks; i++) order[i] = i
    for (i = ranks - 1; i > 0; i--) {
        j = int(rand() * (i + 1))
        k = order[i]; order[i] = order[j]; order[j] = k
    }
}
function add(rank, line) { text[rank] = text[rank] " " line "\n" }
# Every rank sends to every other one after its last computation. The size goes by the expert: the receiver, or the
# sender on the way 'back'.
function exchange(layer, back,    i, j, size, tag) {
    tag = 2 * layer + back
    for (i = 0; i < ranks; i++)
        for (j = 0; j < ranks; j++) {
            if (i == j) continue
            size = bytes * share[layer, back ? i : j]
            add(i, sprintf("s%d_%d: send %db to %d tag %d", tag, j, size, j, tag))
            if (tag) add(i, sprintf("s%d_%d requires c%d", tag, j, tag - 1))
            size = bytes * share[layer, back ? j : i]
            add(i, sprintf("r%d_%d: recv %db from %d tag %d", tag, j, size, j, tag))
        }
    for (i = 0; i < ranks; i++) {
        add(i, sprintf("c%d: calc %d", tag, compute_ns))
        for (j = 0; j < ranks; j++) if (i != j) add(i, sprintf("c%d requires r%d_%d", tag, tag, j))
    }
}
BEGIN {
    srand(seed)
    ranks = 64; layers = 4; bytes = 2000000; compute_ns = 20000
    for (k = 0; k < ranks; k++) sum += (k + 1) ^ -0.4
    for (layer = 0; layer < layers; layer++) {
        shuffle()
        for (k = 0; k < ranks; k++) share[layer, order[k]] = (k + 1) ^ -0.4 / sum
        exchange(layer, 0)
        exchange(layer, 1)
    }
    print "num_ranks " ranks
    for (i = 0; i < ranks; i++) printf "rank %d {\n%s}\n", i, text[i]
}
