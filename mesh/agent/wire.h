/* SPDX-License-Identifier: BSD-3-Clause */
/* wire.h: packets that local agents send to the global agent over a stream socket.
 *
 *     packet    header of 32 bytes: mark, type, bytes of the payload, check of header
 *               and payload; then the payload, padded with zeros to a multiple of 8 bytes
 *
 * A local agent begins with HELLO. For each mesh of each process it sends MESH, which
 * gives the mesh a number; all other packets of the mesh contain this number. FLUSH
 * requests an ACK as soon as all earlier packets are in the file. Byte order is the
 * machine's and is sent in HELLO. The receiver trusts nothing: sizes are bounded, and a
 * packet with a wrong check ends the connection. */
#ifndef MESH_AGENT_WIRE_H
#define MESH_AGENT_WIRE_H

#include <stddef.h>
#include <stdint.h>

#include "mastermind/format/mesh_file.h"
#include "ports/cca_error.h"

enum {
    WIRE_VERSION = 2,
    WIRE_TOKEN_BYTES = 40, /* size of a session's token, terminating zero included */
    WIRE_PAYLOAD = 1 << 24 /* limit of a payload, bytes */
};
#define WIRE_MARK 0x4857454du /* "MEWH" */

enum wire_type {
    WIRE_HELLO = 1, /* payload: struct wire_hello */
    WIRE_MESH, /* payload: struct wire_mesh, then a struct mm_mesh_probe for each probe */
    WIRE_BLOCK,   /* payload: struct wire_place, struct mm_mesh_frame, packed values */
    WIRE_CENTRES, /* payload: struct wire_place, first and count as int64_t, doubles */
    WIRE_STEP,    /* the rank's step is complete; payload: struct wire_place, struct
                     wire_step */
    WIRE_LOST,    /* payload: struct wire_place, struct mm_mesh_lost */
    WIRE_CLOSED,  /* this mesh and rank sends nothing more; payload: struct wire_place */
    WIRE_FLUSH,   /* request to write all data and answer; payload: a number (int64_t) */
    WIRE_ACK,     /* payload: the number of the FLUSH that it answers (int64_t) */
    WIRE_NOTE     /* payload: struct wire_place, text */
};

struct wire_head {
    uint32_t mark, type;
    uint64_t bytes;
    uint64_t reserved;
    uint64_t check;
};

struct wire_hello {
    /* version: WIRE_VERSION; order: 0x01020304 in the sender's byte order */
    uint32_t version, order;
    char token[WIRE_TOKEN_BYTES];
};

/* A mesh of one process. */
struct wire_mesh {
    int32_t number; /* chosen by the sender, from 0, ascending */
    /* the process's rank, and the number of ranks; ranks 0: unknown */
    int32_t rank, ranks;
    int32_t probes;
    struct mm_mesh_about about;
};

struct wire_place {
    int32_t number; /* number of the mesh, as in wire_mesh */
    int32_t reserved;
};

struct wire_step {
    int64_t step;
    double time_s;
    /* stride: the rank sends each step whose number is a multiple of it; 1: all */
    uint32_t every;
    uint32_t reserved;
};

/* A stream with its received data. Start with zeros, then set fd. */
struct wire {
    int fd;
    unsigned char *in;
    size_t have, room;
    /* bytes of the packets that wire_next has returned since the last read */
    size_t taken;
    unsigned char *out; /* scratch buffer */
    size_t out_room;
};

struct wire_packet {
    enum wire_type type;
    const unsigned char *payload; /* aligned to 8 bytes; valid until the next call */
    size_t bytes;
};

/* Send a packet whose payload has up to three parts; blocks while the other side does not
 * read. Returns 0 or a negative errno; never raises a signal. */
int wire_send(struct wire *wire, enum wire_type type, const void *a, size_t a_bytes,
              const void *b, size_t b_bytes, const void *c, size_t c_bytes);

/* Read available data, once. Returns more than 0; 0: the other side has closed; -EAGAIN;
 * another negative errno. */
int64_t wire_read(struct wire *wire);

/* Find the next complete packet. Returns 1; 0: none is complete; -EBADMSG with found and
 * expected. */
int wire_next(struct wire *wire, struct wire_packet *packet, struct cca_error *err);

void wire_done(struct wire *wire); /* free the buffers, and close fd if it is open */

/* Return the `bytes` bytes at offset `at` of the payload, or NULL if the payload is
 * shorter. */
static inline const void *wire_part(const struct wire_packet *packet, size_t at,
                                    size_t bytes)
{
    return at + bytes <= packet->bytes ? packet->payload + at : NULL;
}

#endif
