/* SPDX-License-Identifier: BSD-3-Clause */
/* sheet.h: the page itself: the bundle that `make` made of web/, with a document in it.
 */
#ifndef MASTERMIND_PAGE_SHEET_H
#define MASTERMIND_PAGE_SHEET_H

#include <jansson.h>

#include "ports/cca_error.h"

/* The place of the document in the bundle; web/build.mjs puts it there once. */
#define MM_PAGE_MARK "@MASTERMIND-DOCUMENT@"

/* Write the bundle at `bundle` with `document` in it to the file `path`, "-": standard
 * output. No text of the document can end the element that it stands in.
 *
 * Returns 0 or a negative errno with `err`: -EIO where the bundle cannot be read,
 * -EBADMSG where it has not one mark; -ENOMEM. A file that could not be written whole is
 * removed. */
int mm_page_write(const char *bundle, const json_t *document, const char *path,
                  struct cca_error *err);

#endif
