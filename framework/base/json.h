/* SPDX-License-Identifier: BSD-3-Clause */
/* json.h: write strings as JSON. */
#ifndef FRAMEWORK_BASE_JSON_H
#define FRAMEWORK_BASE_JSON_H

#include <stdio.h>

#include "framework/cca.h"

/* Write `text` as a JSON string with its quotes. Bytes from 0x80 on are copied. */
CCA_API void cca_json_put_string(FILE *out, const char *text);

#endif
