/* SPDX-License-Identifier: BSD-3-Clause */
/* answer.c: where documents and messages of the verbs go: to stdout and stderr, or to a
 * caller in this process. */
#include <stdlib.h>
#include <string.h>

#include "mastermind/cmd/cmd.h"

static struct mm_answer *kept; /* NULL: documents and messages are printed; static, as
                                * verbs have no context */

void mm_answer_keep(struct mm_answer *answer)
{
    kept = answer;
}

int mm_answer_kept(void)
{
    return kept != NULL;
}

void mm_message(const char *text)
{
    if (!kept)
        fprintf(stderr, "mastermind: %s\n", text);
    else if (!*kept->message)
        snprintf(kept->message, sizeof kept->message, "%s", text);
}

int mm_document_put(const json_t *document)
{
    const size_t flags = JSON_INDENT(2) | JSON_REAL_PRECISION(12);

    if (!kept)
        return json_dumpf(document, stdout, flags) || putchar('\n') == EOF;
    free(kept->document);
    kept->document = json_dumps(document, flags);
    return !kept->document;
}
