/* SPDX-License-Identifier: BSD-3-Clause */
/* values.h: the files of values of a checkpoint, one for each rank that wrote it.
 *
 *     head      magic, byte order, version, serial, file, bytes of the file, checksum
 *     record    level, ilo, jlo, nx, ny, components     48 bytes
 *               values, doubles [components][ny][nx]
 *               checksum                                 8 bytes
 *     record    ...
 *
 * Numbers have 8 bytes, in the byte order of the machine. A checksum is the CRC-32 of the
 * head, or of the record, before it. Records are in the order of levels and patches,
 * without gaps. */
#ifndef COMPONENTS_CHECKPOINT_VALUES_H
#define COMPONENTS_CHECKPOINT_VALUES_H

#include "components/Checkpoint/index.h"

enum { VALUES_HEAD_BYTES = 56 };

/* Number of bytes of a record; -1: it is too large for a number. */
int64_t values_record_bytes(int components, int64_t nx, int64_t ny);

/* Write this rank's patches to the new file `path`, and flush it to disk. Returns 0 or a
 * negative errno with `err`, which names the file, as in all functions below. */
int values_write(const struct index *x, int rank, const char *path,
                 struct mesh_port *mesh, int field, struct cca_error *err);

/* Check that the file with this number exists and has the expected size and head. */
int values_check(const struct index *x, int file, const char *path,
                 struct cca_error *err);

/* Fill the interior of `field` on this rank's patches. The mesh has the levels of the
 * index, but may have other patches, so each cell is searched in the records. Only files
 * with such cells are read.
 *
 *   path_of  in   function that returns the path of a file, new
 *   bytes    out  bytes read
 *
 * Returns 0; -EBADMSG if files differ from the index, or a cell has no value or two; or
 * another negative errno. Not collective. */
int values_read(const struct index *x, char *(*path_of)(const void *context, int file),
                const void *context, struct mesh_port *mesh, int field, int64_t *bytes,
                struct cca_error *err);

#endif
