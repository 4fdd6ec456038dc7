/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared memory whose bytes are anything: the local agent takes it or leaves it, with a
 * line, and removes it when it is over; what it sends is what the collector takes. */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mesh/agent/collect.h"
#include "mesh/agent/segments.h"
#include "tests/lib/test.h"

enum { ROUNDS = 400, SLOTS = 3, CELLS = 20, BYTES = 16384 };

static char folder[64];
static int refused;

/* The global agent: takes what comes, and answers FLUSH. */
static void *serve(void *context)
{
    struct wire *wire = context;
    struct mesh_collect *collect = mesh_collect_new(folder);
    struct wire_packet packet;
    struct cca_error err = {0};
    int rc = 0;

    while (!rc && wire_read(wire) > 0)
        while (!rc && wire_next(wire, &packet, &err) > 0)
            rc = packet.type == WIRE_FLUSH ? wire_send(wire, WIRE_ACK, packet.payload,
                                                       packet.bytes, NULL, 0, NULL, 0)
                                           : mesh_collect_take(collect, 0, &packet, &err);
    refused = rc;
    if (rc)
        fprintf(stderr, "refused: %s\n", err.text);
    shutdown(wire->fd, SHUT_RDWR);
    mesh_collect_close(collect, NULL);
    return NULL;
}

/* A segment of two full slots as a program leaves it. */
static void make_segment(unsigned char bytes[BYTES], int mesh)
{
    _Alignas(64) static struct mesh_shared head;
    uint64_t slot_bytes = 1024;

    memset(bytes, 0, BYTES);
    memset(&head, 0, sizeof head);
    memcpy(head.magic, MESH_SHARED_MAGIC, sizeof head.magic);
    head.order = 0x01020304;
    head.format = MESH_SHARED_FORMAT;
    head.kind = MESH_SHARED_STEPS;
    head.slots = SLOTS;
    head.pid = getpid();
    head.start = mesh_process_start(getpid());
    head.mesh = mesh;
    head.ranks = 1;
    head.probes = 1;
    head.box_room = 1;
    head.cell_room = CELLS;
    head.slot_first = (sizeof head + 63) / 64 * 64;
    head.slot_bytes = slot_bytes;
    head.box_first = 128;
    head.value_first = 256;
    strcpy(head.session, "memory");
    head.about = (struct mm_mesh_about){
        .dims = 1, .n = {CELLS, 1, 1}, .levels = 1, .ratio = 1, .spacing = {1, 1, 1}};
    snprintf(head.about.name, sizeof head.about.name, "m%d", mesh);
    strcpy(head.probe[0].name, "work");
    head.state = MESH_SHARED_CLOSED;
    head.bytes = head.slot_first + SLOTS * slot_bytes;
    assert_true(head.bytes <= BYTES);
    memcpy(bytes, &head, sizeof head);
    for (int s = 0; s < 2; s++) {
        struct mesh_slot_box box = {.hi = {CELLS, 1, 1}};
        struct mesh_slot slot = {.step = s, .told = 1, .cells = CELLS, .boxes = 1};
        float values[CELLS];

        slot.every = 1;
        slot.word = (uint64_t)(s + 1) * MESH_SLOT_STATES + MESH_SLOT_FULL;
        for (int c = 0; c < CELLS; c++)
            values[c] = (float)(c + s);
        memcpy(bytes + head.slot_first + (uint64_t)s * slot_bytes, &slot, sizeof slot);
        memcpy(bytes + head.slot_first + (uint64_t)s * slot_bytes + 128, &box,
               sizeof box);
        memcpy(bytes + head.slot_first + (uint64_t)s * slot_bytes + 256, values,
               sizeof values);
    }
}

static void path_of(int mesh, char path[256])
{
    struct mesh_segment_name name = {.uid = geteuid(),
                                     .session = "memory",
                                     .pid = getpid(),
                                     .start = mesh_process_start(getpid()),
                                     .mesh = mesh};
    char text[MESH_SEGMENT_NAME];

    mesh_segment_name(&name, text);
    snprintf(path, 256, MESH_SHARED_FOLDER "/%s", text);
}

static void change(unsigned char bytes[BYTES], size_t size)
{
    for (int n = 1 + rand() % 4; n-- > 0;) {
        /* heads more often than values */
        size_t at = rand() % 2 ? (size_t)rand() % size
                               : (sizeof(struct mesh_shared) + 63) / 64 * 64 +
                                     (size_t)rand() % SLOTS * 1024 + (size_t)rand() % 200;

        bytes[at % size] = (unsigned char)(rand() % 3 ? rand() : 255);
    }
}

TEST(memory_of_any_content_harms_nothing)
{
    struct wire wires[2] = {{.fd = -1}, {.fd = -1}};
    struct mesh_segments *segments = mesh_segments_new("memory", &wires[0]);
    struct cca_error err = {0};
    pthread_t global;
    int fds[2], taken = 0, stayed = 0;

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    wires[0].fd = fds[0];
    wires[1].fd = fds[1];
    assert_int_equal(pthread_create(&global, NULL, serve, &wires[1]), 0);
    srand(11);
    for (int round = 0; round < ROUNDS; round++) {
        _Alignas(64) unsigned char bytes[BYTES];
        size_t size;
        char path[256];
        FILE *file;

        make_segment(bytes, round);
        size = ((struct mesh_shared *)(void *)bytes)->bytes;
        if (round)
            change(bytes, size);
        path_of(round, path);
        file = fopen(path, "w");
        assert_int_equal(fwrite(bytes, 1, round % 50 == 7 ? size / 2 : size, file),
                         round % 50 == 7 ? size / 2 : size);
        fclose(file);
        for (int i = 0; i < 3; i++)
            assert_true(mesh_segments_take(segments, 1, &err) >= 0);
        if (access(path, F_OK) == 0)
            stayed++; /* damaged, and its process lives */
        else
            taken++;
        unlink(path);
        assert_true(round || taken == 1);
    }
    mesh_segments_free(segments);
    shutdown(fds[0], SHUT_RDWR);
    pthread_join(global, NULL);
    assert_int_equal(refused, 0);
    assert_true(taken > ROUNDS / 10 && stayed > ROUNDS / 10);
    for (int i = 0; i < 2; i++)
        wire_done(&wires[i]);
}

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/mesh-agent-memory-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    char command[100];

    (void)state;
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command);
}

TESTS(make_folder, remove_folder)
