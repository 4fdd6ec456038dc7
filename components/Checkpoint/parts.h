/* SPDX-License-Identifier: BSD-3-Clause */
/* parts.h: functions that the files of the class share. */
#ifndef COMPONENTS_CHECKPOINT_PARTS_H
#define COMPONENTS_CHECKPOINT_PARTS_H

#include <stddef.h>
#include <stdint.h>

#include "components/Checkpoint/index.h"
#include "ports/cca_error.h"
#include "ports/exchange_port.h"

/* --- agree.c ------------------------------------------------------------- */

/* Copy the failure of the lowest rank that failed, its code and text, to all ranks.
 *
 *   ranks  in       NULL: there is one rank
 *   code   in       this rank's result, 0 or a negative errno
 *   err    in, out  the failure's text; not NULL
 *
 * Returns the common code, or -ECANCELED if another rank has failed elsewhere.
 * Collective. */
int agree(struct exchange_port *ranks, int code, struct cca_error *err);

/* Copy `size` bytes from rank 0 to all ranks. Returns 0 or a negative errno with `err`.
 * Collective. */
int share(struct exchange_port *ranks, void *bytes, size_t size, struct cca_error *err);

/* --- folder.c ------------------------------------------------------------ */

/* The folder of a checkpoint. It contains
 *
 *     index                 describes the checkpoint; renamed into place as the last step
 *     values-SERIAL-FILE    the files that the index names by their serial number
 *
 * A new checkpoint has the next serial number, so it touches no file of the last one.
 * Other files in the folder are left alone. */

/* Make the path of the index, or of a file of values. Returns a new string, or NULL. */
char *folder_index(const char *folder);
char *folder_values(const char *folder, int64_t serial, int file);

/* Create the folder if it does not exist, and choose a serial number above the serial
 * numbers of all files in it. Returns 0 or a negative errno with `err`. */
int folder_prepare(const char *folder, int64_t *serial, struct cca_error *err);

/* Rename the index into place, which makes it the folder's checkpoint. Returns 0; 1 if it
 * may not be on disk yet, so that the last checkpoint's files are still needed; or a
 * negative errno with `err`: the last index remains. */
int folder_publish(const char *folder, const char *text, size_t size,
                   struct cca_error *err);

/* Remove files of values with other serial numbers. Failures are ignored: the next call
 * tries again. */
void folder_clean(const char *folder, int64_t serial);

/* Read the text of the index: new, with a NUL at its end. Returns 0 or a negative errno
 * with `err`. */
int folder_read(const char *folder, char **text, size_t *size, struct cca_error *err);

/* --- stream.c ------------------------------------------------------------ */

struct stream {
    int fd; /* -1: not open */
    int writes;
    char *path;
    int64_t at; /* offset of the buffer's first byte in the file */
    /* used: bytes used of the buffer; size: bytes that were read into it */
    size_t used, size;
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
/* Return the size of the file in bytes, or a negative errno. */
int64_t stream_size(struct stream *s, struct cca_error *err);

/* Continue reading at byte `offset` of the file. */
int stream_seek(struct stream *s, int64_t offset, struct cca_error *err);
/* Return the offset in the file of the next byte. */
int64_t stream_offset(const struct stream *s);
void stream_check_begin(struct stream *s);
int stream_write(struct stream *s, const void *bytes, size_t size, struct cca_error *err);
/* Read `size` bytes; -EBADMSG if the file ends before. */
int stream_read(struct stream *s, void *bytes, size_t size, struct cca_error *err);

/* Flush all written bytes to disk. */
int stream_sync(struct stream *s, struct cca_error *err);
/* Close the file, if it is open; data that was not synced may be lost. */
void stream_close(struct stream *s);

/* --- values.c ------------------------------------------------------------ */

/* The files of values of a checkpoint, one for each rank that wrote it.
 *
 *     head      magic, byte order, version, serial, file, bytes of the file, checksum
 *     record    level, ilo, jlo, nx, ny, components     48 bytes
 *               values, doubles [components][ny][nx]
 *               checksum                                 8 bytes
 *     record    ...
 *
 * Numbers have 8 bytes, in the byte order of the machine. A checksum is the CRC-32 of the
 * head or of the record before the checksum. Records are in the order of levels and
 * patches, without gaps. */

enum { VALUES_HEAD_BYTES = 56 };

/* Return the number of bytes of a record; -1: it is too large for a number. */
int64_t values_record_bytes(int components, int64_t nx, int64_t ny);

/* Write this rank's patches to the new file `path`, and flush it to disk. Returns 0 or a
 * negative errno with `err`, which names the file, as in all functions below. */
int values_write(const struct index *x, int rank, const char *path,
                 struct mesh_port *mesh, int field, struct cca_error *err);

/* Check that file number `file` exists and has the expected size and head. */
int values_check(const struct index *x, int file, const char *path,
                 struct cca_error *err);

/* Fill the interior of `field` on this rank's patches. The mesh has the levels of the
 * index, but may have other patches, so each cell is searched in the records. Only files
 * with such cells are read.
 *
 *   path_of  in   function that returns the path of a file, new
 *   bytes    out  bytes read
 *
 * Returns 0; -EBADMSG if files differ from the index, or a cell has no value or more than
 * one; or another negative errno. Not collective. */
int values_read(const struct index *x, char *(*path_of)(const void *context, int file),
                const void *context, struct mesh_port *mesh, int field, int64_t *bytes,
                struct cca_error *err);

/* --- records ------------------------------------------------------------- */

/* The byte format of a file of values (drawn above). */

#define VALUES_MAGIC "ckvalues"
#define VALUES_ORDER UINT64_C(0x0102030405060708)
enum { VALUES_VERSION = 1 };

struct values_head {
    char magic[8];
    uint64_t order;
    int64_t version, serial, file, bytes;
    uint64_t checksum;
};

struct record_head {
    int64_t level, ilo, jlo, nx, ny, components;
};

/* Make the head of the record of a patch, numbered over all levels. */
struct record_head record_head_make(const struct index *x, int level, int patch);

#endif
