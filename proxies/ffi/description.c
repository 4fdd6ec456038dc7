/* SPDX-License-Identifier: BSD-3-Clause */
/* description.c: read a describe document from its file. */
#include "proxies/ffi/description.h"

#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "tools/proxygen/perf/describe.h"

enum { LARGEST = 16 << 20 };

struct pg_port *fproxy_description_read(const char *path, struct cca_error *err)
{
    struct pg_port *port = NULL;
    char *text = NULL;
    size_t size = 0;
    int status = cca_file_read_plain(path, LARGEST, &text, &size);

    if (text)
        port = pg_describe_read(text, size, path, err);
    else
        cca_error_set(err, status, "%.200s: error: cannot read it: %s", path,
                      strerror(-status));
    free(text);
    return port;
}
