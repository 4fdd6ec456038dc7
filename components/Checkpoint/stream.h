/* SPDX-License-Identifier: BSD-3-Clause */
/* stream.h: write or read a file sequentially, through a buffer and with a checksum. */
#ifndef COMPONENTS_CHECKPOINT_STREAM_H
#define COMPONENTS_CHECKPOINT_STREAM_H

#include <stddef.h>
#include <stdint.h>

#include "ports/cca_error.h"

struct stream {
    int fd; /* -1: not open */
    int writes;
    char *path;
    int64_t at;        /* offset of the buffer's first byte in the file */
    size_t used, size; /* bytes used; bytes available (when reading) */
    uint32_t checksum; /* checksum of the bytes since stream_check_begin */
    unsigned char buffer[65536];
};

/* Add bytes to a CRC-32 (polynomial 0x04c11db7, reflected, as in Ethernet, zip and PNG);
 * begin with 0. */
uint32_t checksum_add(uint32_t checksum, const void *bytes, size_t size);

/* Create a file, or open an existing one. Only regular files are read. Each function
 * returns 0 or a negative errno with `err`, which names the file. */
int stream_create(struct stream *s, const char *path, struct cca_error *err);
int stream_open(struct stream *s, const char *path, struct cca_error *err);
/* Size of the file in bytes, or a negative errno. */
int64_t stream_size(struct stream *s, struct cca_error *err);

/* Continue at this byte of the file. */
int stream_seek(struct stream *s, int64_t offset, struct cca_error *err);
/* Offset of the next byte. */
int64_t stream_offset(const struct stream *s);
void stream_check_begin(struct stream *s);
int stream_write(struct stream *s, const void *bytes, size_t size, struct cca_error *err);
/* Read bytes; -EBADMSG if the file ends before. */
int stream_read(struct stream *s, void *bytes, size_t size, struct cca_error *err);

/* Flush all written bytes to disk. */
int stream_sync(struct stream *s, struct cca_error *err);
/* Close the file, if it is open; data that was not synced may be lost. */
void stream_close(struct stream *s);

#endif
