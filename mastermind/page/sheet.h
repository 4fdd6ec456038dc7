/* SPDX-License-Identifier: BSD-3-Clause */
/* sheet.h: the page: the bundle made from web/ by `make`, with a document in it. */
#ifndef MASTERMIND_PAGE_SHEET_H
#define MASTERMIND_PAGE_SHEET_H

#include <jansson.h>

#include "ports/cca_error.h"

/* Marks the position of the document in the bundle; web/build.mjs inserts it once. */
#define MM_PAGE_MARK "@MASTERMIND-DOCUMENT@"

/* Write the bundle at `bundle` with `document` in it to the file `path`, "-": standard
 * output. Text of the document cannot end its HTML element.
 *
 * Returns 0 or a negative errno with `err`: -EIO: the bundle cannot be read; -EBADMSG: it
 * has not exactly one mark; -ENOMEM. An incomplete file is removed. */
int mm_page_write(const char *bundle, const json_t *document, const char *path,
                  struct cca_error *err);

#endif
