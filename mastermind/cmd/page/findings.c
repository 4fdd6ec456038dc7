/* SPDX-License-Identifier: BSD-3-Clause */
/* findings.c: the performance problems of the run, as the verb properties ranks them. */
#include "mastermind/cmd/page/page.h"
#include "mastermind/cmd/properties/properties_verb.h"

int mm_page_findings(const char *path, json_t **document)
{
    char *paths[] = {(char *)path};
    struct properties_asked asked = {.paths = paths,
                                     .path_count = 1,
                                     .threshold = .05,
                                     .confidence = .8,
                                     .looks = 1,
                                     .seconds = 10,
                                     .limit = PROPERTIES_LINES};
    int result = properties_library_read(&asked.library, NULL, 0);

    if (result < 0)
        result = properties_ask(&asked);
    if (result < 0)
        *document = properties_json(&asked, 0);
    properties_asked_done(&asked);
    return result;
}
