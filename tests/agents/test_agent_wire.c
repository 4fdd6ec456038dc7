/* SPDX-License-Identifier: BSD-3-Clause */
/* Packets of agents: what was sent arrives, hostile packets are refused, and what the
 * collection wrote by then can be read. */
#include <math.h>
#include <sys/socket.h>
#include <unistd.h>

#include "mesh/agent/collect.h"
#include "mesh/trace/bricks.h"
#include "mesh/trace/profile.h"
#include "tests/lib/test.h"

static char folder[64];

static int set_up(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/agent_wire.XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
    char command[160];

    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static void empty(void)
{
    char command[160];

    snprintf(command, sizeof command, "rm -rf %s/mesh && mkdir %s/mesh", folder, folder);
    assert_int_equal(system(command), 0);
}

/* Two ends of a stream. */
struct pair {
    struct wire from, to;
};

static void pair_open(struct pair *pair)
{
    int fds[2], large = 1 << 21;

    memset(pair, 0, sizeof *pair);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
    setsockopt(fds[0], SOL_SOCKET, SO_SNDBUF, &large, sizeof large);
    pair->from.fd = fds[0];
    pair->to.fd = fds[1];
}

static void pair_close(struct pair *pair)
{
    wire_done(&pair->from);
    wire_done(&pair->to);
}

static uint64_t random_state;

static uint64_t random_word(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static struct wire_mesh a_mesh(int number, int rank, int ranks)
{
    struct wire_mesh mesh = {.number = number,
                             .rank = rank,
                             .ranks = ranks,
                             .probes = 1,
                             .about = {.kind = MM_MESH_GRID,
                                       .dims = 2,
                                       .n = {8, 10, 1},
                                       .levels = 1,
                                       .ratio = 1,
                                       .spacing = {1, 1, 1},
                                       .name = "field"}};
    return mesh;
}

static const struct mm_mesh_probe work = {.name = "work"};

/* Hand all packets that have come to the collection. */
static int deliver(struct pair *pair, struct mesh_collect *collect, int source)
{
    struct wire_packet packet;
    struct cca_error err = {0};
    int rc = 0;

    while (wire_read(&pair->to) > 0)
        ;
    while (rc >= 0 && (rc = wire_next(&pair->to, &packet, &err)) > 0) {
        rc = mesh_collect_take(collect, source, &packet, &err);
        rc = rc < 0 ? rc : 1;
    }
    return rc;
}

struct sending {
    struct pair *pair;
    struct wire_place place;
};

static int send_block(void *context, const struct mm_mesh_frame *frame,
                      const void *payload, struct cca_error *err)
{
    struct sending *sending = context;

    (void)err;
    return wire_send(&sending->pair->from, WIRE_BLOCK, &sending->place,
                     sizeof sending->place, frame, sizeof *frame, payload, frame->bytes);
}

static float truth(int64_t step, int row, int column)
{
    return (float)((row * 10 + column) * 3 + step);
}

/* A step of a rank that has rows [lo, hi). */
static void send_step(struct pair *pair, struct mesh_bricks *bricks, int number,
                      int64_t step, int lo, int hi)
{
    struct sending sending = {pair, {number, 0}};
    struct mesh_box box = {.step = step, .rank = 9, .lo = {lo, 0, 0}, .hi = {hi, 10, 1}};
    struct wire_step told = {step, .1 * (double)step, 1, 0};
    float values[80];

    for (int i = lo; i < hi; i++)
        for (int j = 0; j < 10; j++)
            values[(i - lo) * 10 + j] = truth(step, i, j);
    assert_int_equal(
        mesh_bricks_pack(bricks, &box, 0, values, send_block, &sending, NULL), 0);
    assert_int_equal(wire_send(&pair->from, WIRE_STEP, &sending.place,
                               sizeof sending.place, &told, sizeof told, NULL, 0),
                     0);
}

/* Two ranks on two nodes, the second late, and without a step. */
TEST(test_what_is_sent_arrives)
{
    struct mesh_collect *collect = mesh_collect_new(folder);
    struct mesh_bricks *bricks[2] = {mesh_bricks_new(2), mesh_bricks_new(2)};
    struct mesh_profile *p;
    struct pair pairs[2];
    struct cca_error err = {0};
    float values[80];

    for (int r = 0; r < 2; r++) {
        struct wire_mesh mesh = a_mesh(5 + r, r, 2);

        pair_open(&pairs[r]);
        wire_send(&pairs[r].from, WIRE_MESH, &mesh, sizeof mesh, &work, sizeof work, NULL,
                  0);
    }
    for (int64_t s = 0; s < 6; s++)
        send_step(&pairs[0], bricks[0], 5, s, 0, 3);
    assert_int_equal(deliver(&pairs[0], collect, 0), 0);
    for (int64_t s = 0; s < 6; s++)
        if (s != 4)
            send_step(&pairs[1], bricks[1], 6, s, 3, 8);
    assert_int_equal(deliver(&pairs[1], collect, 1), 0);
    mesh_collect_gone(collect, 1, &err);
    mesh_collect_gone(collect, 0, &err);
    assert_int_equal(mesh_collect_close(collect, &err), 0);
    p = mesh_profile_open(folder, "field", &err);
    assert_non_null(p);
    assert_int_equal(mesh_profile_steps(p), 6);
    for (size_t s = 0; s < 6; s++) {
        static const int64_t lo[3], hi[3] = {8, 10, 1};
        int lost = s == 4;

        assert_int_equal(mesh_profile_values(p, s, 0, 0, lo, hi, values, NULL, NULL),
                         lost ? 50 : 0);
        assert_int_equal(mesh_profile_step(p, s)->end.lost, lost);
        for (int c = 0; c < (lost ? 30 : 80); c++)
            assert_true(values[c] == truth((int64_t)s, c / 10, c % 10));
    }
    assert_int_equal(mesh_profile_notes(p), 2); /* both were never closed */
    mesh_profile_close(p);
    for (int r = 0; r < 2; r++) {
        pair_close(&pairs[r]);
        mesh_bricks_free(bricks[r]);
    }
}

/* A changed byte of the stream is noticed, wherever it is. */
TEST(test_changed_streams_are_refused)
{
    struct wire_mesh mesh = a_mesh(0, 0, 1);
    struct pair pair;
    unsigned char stream[4096];
    ssize_t size;

    pair_open(&pair);
    wire_send(&pair.from, WIRE_MESH, &mesh, sizeof mesh, &work, sizeof work, NULL, 0);
    size = recv(pair.to.fd, stream, sizeof stream, 0);
    pair_close(&pair);
    assert_true(size > 250 && size < (ssize_t)sizeof stream);
    for (ssize_t at = 0; at < size; at++) {
        struct wire_packet packet;
        struct cca_error err = {0};

        pair_open(&pair);
        stream[at] ^= 0x20;
        assert_int_equal(send(pair.from.fd, stream, (size_t)size, 0), size);
        stream[at] ^= 0x20;
        wire_read(&pair.to);
        assert_true(wire_next(&pair.to, &packet, &err) <= 0);
        pair_close(&pair);
    }
}

/* Packets whose checks hold and whose words are anything. */
static void send_hostile(struct pair *pair)
{
    enum wire_type type = (enum wire_type)(1 + random_word() % WIRE_NOTE);
    struct wire_place place = {(int32_t)(random_word() % 3), 0};
    struct wire_mesh mesh = a_mesh((int)(random_word() % 3), 0, (int)(random_word() % 3));
    struct mm_mesh_frame frame = {.mark = MM_MESH_FRAME_MARK,
                                  .type = MM_MESH_BLOCK,
                                  .bytes = (uint32_t)(random_word() % 40),
                                  .step = (int64_t)(random_word() % 20),
                                  .hi = {8, 10, 1}};
    unsigned char bytes[512], *into = NULL;
    size_t size = 0, payload = frame.bytes;

    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)random_word();
    switch (type) {
    case WIRE_MESH:
        into = (unsigned char *)&mesh;
        size = sizeof mesh;
        break;
    case WIRE_BLOCK:
        into = (unsigned char *)&frame;
        size = sizeof frame;
        break;
    default:
        break;
    }
    for (int i = 0; into && i < (int)(random_word() % 3); i++)
        into[random_word() % size] = (unsigned char)random_word();
    if (type == WIRE_MESH)
        wire_send(&pair->from, type, &mesh, sizeof mesh, &work, sizeof work, NULL, 0);
    else if (type == WIRE_BLOCK)
        wire_send(&pair->from, type, &place, sizeof place, &frame, sizeof frame, bytes,
                  payload);
    else
        wire_send(&pair->from, type, &place, sizeof place, bytes, random_word() % 3 * 8,
                  bytes + 64, random_word() % 100);
}

TEST(test_hostile_packets_harm_nothing)
{
    int runs = test_count("WIRE", 150, 20000);

    for (int run = 0; run < runs; run++) {
        struct mesh_collect *collect = mesh_collect_new(folder);
        struct cca_error err = {0};
        struct mesh_profile *p;
        struct pair pair;

        empty();
        random_state = (uint64_t)run * 7919 + 1;
        pair_open(&pair);
        for (int i = 0; i < 60; i++) {
            send_hostile(&pair);
            if (deliver(&pair, collect, i % 2) < 0) {
                pair_close(&pair);
                pair_open(&pair);
            }
        }
        mesh_collect_gone(collect, 0, &err);
        mesh_collect_close(collect, &err);
        p = mesh_profile_open(folder, "field", NULL);
        for (size_t s = 0; p && s < mesh_profile_steps(p); s++) {
            static const int64_t lo[3], hi[3] = {8, 10, 1};
            float values[80];

            mesh_profile_values(p, s, 0, 0, lo, hi, values, NULL, NULL);
        }
        mesh_profile_close(p);
        pair_close(&pair);
    }
}

TESTS(set_up, tear_down)
