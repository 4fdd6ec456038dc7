/* SPDX-License-Identifier: BSD-3-Clause */
/* rank_input.c: a script on standard input, which launchers give to rank 0 alone: rank 0
 * reads it and sends it to the other ranks. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "framework/cmd/cmd.h"

enum { PIECE = 4080, TOO_LARGE = 64 * 1024 * 1024 };

struct piece {
    int32_t size;  /* bytes; 0: the end */
    int32_t error; /* errno of rank 0 */
    char bytes[PIECE];
};

static void read_piece(struct piece *piece)
{
    piece->size = (int32_t)fread(piece->bytes, 1, sizeof piece->bytes, stdin);
    piece->error = piece->size == 0 && ferror(stdin) ? errno ? errno : EIO : 0;
}

/* Receive the script from rank 0 piece by piece and write it to `out`. Returns 0, or an
 * exit status after a message. */
static int gather_pieces(const struct ccafe_options *options, struct piece *all,
                         FILE *out)
{
    struct cca_cohort *cohort = options->cohort;
    struct piece mine = {0};
    size_t size = 0, taken = 0;

    do {
        if (cohort->rank == 0)
            read_piece(&mine);
        if (cohort->gather(cohort, &mine, sizeof mine, all, 0)) {
            fprintf(ccafe_ranks_words(options),
                    "rank %d: stdin: the ranks do not hear each other\n", cohort->rank);
            cohort->abort(cohort, CCA_EXIT_IO_OR_MEMORY);
        }
        size += (size_t)all->size;
        if (size <= TOO_LARGE)
            taken += fwrite(all->bytes, 1, (size_t)all->size, out);
    } while (all->size > 0);
    if (all->error)
        return ccafe_complain(CCA_EXIT_IO_OR_MEMORY, "stdin: cannot be read: %s",
                              strerror(all->error));
    if (size <= TOO_LARGE && taken != size)
        return ccafe_complain(CCA_EXIT_IO_OR_MEMORY, "stdin: out of memory");
    return size <= TOO_LARGE
               ? 0
               : ccafe_complain(CCA_EXIT_BAD_INPUT,
                                "stdin: found %zu bytes, expected a script of at most %d",
                                size, TOO_LARGE);
}

/* Get the text that rank 0 has read, new. Returns 0, or an exit status after a message.
 */
static int gather_text(const struct ccafe_options *options, char **text, size_t *size)
{
    struct piece *all = calloc((size_t)options->cohort->size, sizeof *all);
    FILE *out = open_memstream(text, size);
    int status =
        all && out ? 0 : ccafe_complain(CCA_EXIT_IO_OR_MEMORY, "stdin: out of memory");

    status = ccafe_ranks_agree(options, status);
    if (status == 0)
        status = gather_pieces(options, all, out);
    if (out && (fclose(out) != 0 || !*text) && status == 0)
        status = ccafe_complain(CCA_EXIT_IO_OR_MEMORY, "stdin: out of memory");
    free(all);
    return status;
}

int ccafe_ranks_run_stdin(struct cca_script *script, const struct ccafe_options *options,
                          const char *name)
{
    char *text = NULL;
    size_t size = 0;
    int status = gather_text(options, &text, &size);
    FILE *stream = status == 0 ? fmemopen(text, size, "r") : NULL;

    if (status == 0 && !stream)
        status = ccafe_complain(CCA_EXIT_IO_OR_MEMORY, "stdin: %s", strerror(errno));
    status = ccafe_ranks_agree(options, status);
    if (status == 0)
        status = cca_script_run_stream(script, stream, name);
    if (stream)
        fclose(stream);
    free(text);
    return status;
}
