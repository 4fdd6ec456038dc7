/* SPDX-License-Identifier: BSD-3-Clause */
/* sheet.h: write the page of a run: the bundle, which `make` makes from web/, with a JSON
 * document in it. */
#ifndef MASTERMIND_PAGE_SHEET_H
#define MASTERMIND_PAGE_SHEET_H

#include <jansson.h>

#include "ports/cca_error.h"

/* Text in the bundle that the document replaces; web/build.mjs puts it there once. */
#define MM_PAGE_MARK "@MASTERMIND-DOCUMENT@"

/* Write the bundle, the file `bundle`, with `document` in it to the file `path` ("-":
 * standard output). No text in the document can end the HTML element that contains it.
 *
 * Returns 0 or a negative errno with `err`: -EIO: the bundle cannot be read; -EBADMSG:
 * the bundle has not exactly one MM_PAGE_MARK; or -ENOMEM. An incomplete file is
 * removed. */
int mm_page_write(const char *bundle, const json_t *document, const char *path,
                  struct cca_error *err);

#endif
