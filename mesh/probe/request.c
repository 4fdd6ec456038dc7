/* SPDX-License-Identifier: BSD-3-Clause */
/* request.c: read the value of --cells. */
#include "mesh/probe/request.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EXPECTED "expected PROBE,..|all[:cells|blocks|auto][:every=K][:eps=E]"

int mesh_name_holds(const char *name)
{
    size_t length = strnlen(name, MM_MESH_NAME_BYTES);

    return length > 0 && length < MM_MESH_NAME_BYTES && name[0] != '.' &&
           !name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                              "0123456789_.+-")];
}

/* Read the name of one probe, of `length` bytes. */
static int name_read(const char *text, size_t length, struct mesh_request *request,
                     struct cca_error *err)
{
    char name[MM_MESH_NAME_BYTES] = "";

    if (length < sizeof name)
        memcpy(name, text, length);
    if (!mesh_name_holds(name))
        return cca_error_set(err, -EINVAL,
                             "--cells: found '%.*s', expected a probe's name",
                             (int)(length < 80 ? length : 80), text);
    if (!strcmp(name, "all"))
        request->all = 1;
    else if (request->count == MM_MESH_PROBES)
        return cca_error_set(err, -EINVAL, "--cells: found more than %d probes",
                             MM_MESH_PROBES);
    else if (!mesh_request_has(request, name))
        memcpy(request->names[request->count++], name, sizeof name);
    return 0;
}

static int names_read(const char *text, size_t length, struct mesh_request *request,
                      struct cca_error *err)
{
    int rc = 0;

    while (!rc) {
        const char *comma = memchr(text, ',', length);
        size_t one = comma ? (size_t)(comma - text) : length;

        rc = name_read(text, one, request, err);
        if (!comma)
            break;
        text += one + 1;
        length -= one + 1;
    }
    return rc;
}

/* Read one option of --cells that follows a colon. */
static int word_read(const char *word, struct mesh_request *request,
                     struct cca_error *err)
{
    static const char *const grains[] = {"cells", "blocks", "auto"};
    char *end;

    for (int g = 0; g < 3; g++)
        if (!strcmp(word, grains[g])) {
            request->grain = (enum mesh_grain)g;
            return 0;
        }
    if (!strncmp(word, "every=", 6) && word[6] >= '0' && word[6] <= '9') {
        request->every = strtoll(word + 6, &end, 10);
        if (!*end && request->every >= 1 && request->every <= INT32_MAX)
            return 0;
    } else if (!strncmp(word, "eps=", 4)) {
        request->eps = strtod(word + 4, &end);
        if (end != word + 4 && !*end && request->eps >= 0 && isfinite(request->eps))
            return 0;
    }
    return cca_error_set(err, -EINVAL, "--cells: found ':%.80s', " EXPECTED, word);
}

int mesh_request_read(const char *text, struct mesh_request *request,
                      struct cca_error *err)
{
    struct mesh_request read = {.every = 1};
    size_t names = strcspn(text, ":");
    const char *at = text + names;
    int rc = names_read(text, names, &read, err);

    while (!rc && *at) {
        size_t length = strcspn(++at, ":");
        char word[96] = "";

        memcpy(word, at, length < sizeof word ? length : sizeof word - 1);
        rc = word_read(word, &read, err);
        at += length;
    }
    if (!rc)
        *request = read;
    return rc;
}

int mesh_request_has(const struct mesh_request *request, const char *probe)
{
    for (int n = 0; n < request->count; n++)
        if (!strcmp(request->names[n], probe))
            return 1;
    return request->all;
}
