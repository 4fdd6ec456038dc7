/* SPDX-License-Identifier: BSD-3-Clause */
/* brotli.c: decompress brotli data. */
#include "mesh/convert/lbaf/parts.h"

#ifdef MESH_BROTLI

#include <stdint.h>
#include <stdlib.h>

#include <brotli/decode.h>

/* Take the decoder's output. Returns 0, -ENOMEM, or -EBADMSG: more than `most`. */
static int take_output(BrotliDecoderState *state, char **text, size_t *length,
                       size_t *room, size_t most)
{
    for (;;) {
        size_t count = 0;
        const uint8_t *more = BrotliDecoderTakeOutput(state, &count);

        if (!count)
            return 0;
        if (count > most - *length)
            return -EBADMSG;
        if (count > *room - *length) {
            size_t wanted = 2 * (*length + count);
            char *grown = realloc(*text, wanted);

            if (!grown)
                return -ENOMEM;
            *text = grown;
            *room = wanted;
        }
        for (size_t i = 0; i < count; i++)
            (*text)[(*length)++] = (char)more[i];
    }
}

static int refuse(const char *name, size_t at, const char *found, struct cca_error *err)
{
    return cca_error_set(err, -EBADMSG,
                         "%s: at byte %zu: found %s, expected brotli data that end with "
                         "the file",
                         name, at, found);
}

static int decode(BrotliDecoderState *state, const char *name, const uint8_t *bytes,
                  size_t size, char **text, size_t *length, size_t most,
                  struct cca_error *err)
{
    size_t left = size, room = 0, none = 0;
    BrotliDecoderResult result;

    do {
        int taken;

        result = BrotliDecoderDecompressStream(state, &left, &bytes, &none, NULL, NULL);
        if (result == BROTLI_DECODER_RESULT_ERROR)
            return refuse(name, size - left, "damage", err);
        taken = take_output(state, text, length, &room, most);
        if (taken == -ENOMEM)
            return cca_no_memory(err);
        if (taken)
            return cca_error_set(err, -EBADMSG,
                                 "%s: found more than %zu bytes of text, expected fewer",
                                 name, most);
        if (result == BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT)
            return refuse(name, size, "the end of the file", err);
    } while (result == BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT);
    return left ? refuse(name, size - left, "more bytes", err) : 0;
}

char *mesh_brotli_text(const char *name, const void *bytes, size_t size, size_t most,
                       size_t *length, struct cca_error *err)
{
    BrotliDecoderState *state = BrotliDecoderCreateInstance(NULL, NULL, NULL);
    char *text = malloc(1);

    *length = 0;
    if (!state || !text)
        cca_no_memory(err);
    else if (decode(state, name, bytes, size, &text, length, most, err) == 0) {
        BrotliDecoderDestroyInstance(state);
        return text;
    }
    BrotliDecoderDestroyInstance(state);
    free(text);
    return NULL;
}

#else

char *mesh_brotli_text(const char *name, const void *bytes, size_t size, size_t most,
                       size_t *length, struct cca_error *err)
{
    (void)bytes;
    (void)size;
    (void)most;
    *length = 0;
    cca_error_set(
        err, -EBADMSG,
        "%s: found brotli data, expected plain JSON: this build lacks libbrotli; "
        "brotli -d unpacks the file",
        name);
    return NULL;
}

#endif
