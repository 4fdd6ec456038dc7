/* SPDX-License-Identifier: BSD-3-Clause */
/* folder.h: the folder of a checkpoint. It holds
 *
 *     index                 the checkpoint; renamed into place when all is written
 *     values-SERIAL-FILE    the files that the index names by their serial number
 *
 * A new checkpoint has the next serial number, so it touches no file of the last one.
 * Other files in the folder are left alone. */
#ifndef COMPONENTS_CHECKPOINT_FOLDER_H
#define COMPONENTS_CHECKPOINT_FOLDER_H

#include <stddef.h>
#include <stdint.h>

#include "ports/cca_error.h"

/* The path of the index, and of a file of values; new, or NULL. */
char *folder_index(const char *folder);
char *folder_values(const char *folder, int64_t serial, int file);

/* Make the folder if it is not there, and choose a serial number above all that files in
 * it have. 0 or a negative errno with `err`. */
int folder_prepare(const char *folder, int64_t *serial, struct cca_error *err);

/* Put the index in place, from now on the checkpoint of the folder. 0; 1 where that may
 * not be on the disk yet, so that the files of the last one are still needed; or a
 * negative errno with `err`: the index before is still there. */
int folder_publish(const char *folder, const char *text, size_t size,
                   struct cca_error *err);

/* Remove the files of values that have another serial number. Failures are ignored: the
 * next call tries again. */
void folder_clean(const char *folder, int64_t serial);

/* The text of the index; new, NUL after its end. 0 or a negative errno with `err`. */
int folder_read(const char *folder, char **text, size_t *size, struct cca_error *err);

#endif
