/* SPDX-License-Identifier: BSD-3-Clause */
/* stream.h: a file that is written or read from one end to the other, through a buffer
 * and with a checksum. */
#ifndef COMPONENTS_CHECKPOINT_STREAM_H
#define COMPONENTS_CHECKPOINT_STREAM_H

#include <stddef.h>
#include <stdint.h>

#include "ports/cca_error.h"

struct stream {
    int fd; /* -1: not open */
    int writes;
    char *path;
    int64_t at;        /* of the buffer's first byte in the file */
    size_t used, size; /* bytes of the buffer that are taken; that it holds (reading) */
    uint32_t checksum; /* of the bytes since stream_check_begin */
    unsigned char buffer[65536];
};

/* CRC-32 (polynomial 0x04c11db7, reflected, as in Ethernet, zip and PNG) of more bytes;
 * begin with 0. */
uint32_t checksum_add(uint32_t checksum, const void *bytes, size_t size);

/* Open a new file, or one that is there. Only plain files are read. 0 or a negative errno
 * with `err`, which names the file, as all that follow. */
int stream_create(struct stream *s, const char *path, struct cca_error *err);
int stream_open(struct stream *s, const char *path, struct cca_error *err);
/* Bytes of the file, or a negative errno. */
int64_t stream_size(struct stream *s, struct cca_error *err);

/* Go on at this byte of the file. */
int stream_seek(struct stream *s, int64_t offset, struct cca_error *err);
/* The byte that comes next. */
int64_t stream_offset(const struct stream *s);
void stream_check_begin(struct stream *s);
int stream_write(struct stream *s, const void *bytes, size_t size, struct cca_error *err);
/* -EBADMSG where the file ends before. */
int stream_read(struct stream *s, void *bytes, size_t size, struct cca_error *err);

/* Have all that was written on the disk. */
int stream_sync(struct stream *s, struct cca_error *err);
/* Close it, if it is open; what was not synced may be lost. */
void stream_close(struct stream *s);

#endif
