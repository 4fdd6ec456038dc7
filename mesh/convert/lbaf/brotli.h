/* SPDX-License-Identifier: BSD-3-Clause */
/* brotli.h: decompress brotli data, if the build has libbrotli. */
#ifndef MESH_CONVERT_LBAF_BROTLI_H
#define MESH_CONVERT_LBAF_BROTLI_H

#include <stddef.h>

#include "ports/cca_error.h"

/* Decompress `size` bytes of the file `name` to at most `most` bytes: new, *length long.
 * NULL with `err`: -EBADMSG: damaged, incomplete, too large, or this build lacks
 * libbrotli; -ENOMEM. */
char *mesh_brotli_text(const char *name, const void *bytes, size_t size, size_t most,
                       size_t *length, struct cca_error *err);

#endif
