/* SPDX-License-Identifier: BSD-3-Clause */
/* folder.h: the folder of a checkpoint. It contains
 *
 *     index                 describes the checkpoint; renamed into place as the last step
 *     values-SERIAL-FILE    the files that the index names by their serial number
 *
 * A new checkpoint has the next serial number, so it touches no file of the last one.
 * Other files in the folder are left alone. */
#ifndef COMPONENTS_CHECKPOINT_FOLDER_H
#define COMPONENTS_CHECKPOINT_FOLDER_H

#include <stddef.h>
#include <stdint.h>

#include "ports/cca_error.h"

/* The path of the index; of a file of values. New, or NULL. */
char *folder_index(const char *folder);
char *folder_values(const char *folder, int64_t serial, int file);

/* Create the folder if it does not exist, and choose a serial number above those of all
 * files in it. Returns 0 or a negative errno with `err`. */
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

#endif
