/* SPDX-License-Identifier: BSD-3-Clause */
/* html.c: `report --html`: combine the JavaScript bundle and the documents in one
 * file. */
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/beside.h"
#include "mastermind/cmd/page/page.h"
#include "mastermind/page/sheet.h"

/* Path of the JavaScript bundle, in the tree where the program was built or installed. */
static const char *bundle_path(void)
{
    static char path[PATH_MAX + 64];
    const char *given = getenv("MASTERMIND_PAGE");

    if (given && *given)
        return given;
    cca_path_beside(path, sizeof path, "../share/mastermind/page.html");
    return path;
}

/* Add a document of another verb from its file. Returns -1 to go on, else an exit
 * code. */
static int add_document(json_t *more, const char *path)
{
    json_error_t error;
    json_t *document = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    const char *schema;

    if (!document && error.line < 0)
        return mm_refuse(MM_EXIT_SYSTEM, "%s", mm_safe(error.text));
    if (!document)
        return mm_refuse(MM_EXIT_INPUT, "%s:%d: %s", mm_safe(path), error.line,
                         mm_safe(error.text));
    schema = json_string_value(json_object_get(document, "schema"));
    if (!schema) {
        json_decref(document);
        return mm_refuse(MM_EXIT_INPUT,
                         "%s:1: found no member \"schema\", expected a document that "
                         "--json of a verb printed",
                         mm_safe(path));
    }
    return json_array_append_new(more, document) ? mm_no_memory() : -1;
}

static int write_page(struct mm_page *page, const char *path, json_t *more,
                      const char *out)
{
    struct cca_error err = {0};
    json_t *findings = NULL, *document;
    int result = -1;

    if (page->contexts_dual->rows <= MM_PAGE_POINTS)
        result = mm_page_findings(path, &findings);
    if (result >= 0)
        return result;
    document = mm_page_document(page, findings, &err);
    if (!document)
        return mm_complain(&err);
    mm_json_put(document, "more", json_incref(more));
    if (!mm_memory_failed())
        mm_page_write(bundle_path(), document, out, &err);
    json_decref(document);
    if (mm_memory_failed())
        return mm_no_memory();
    return err.code ? mm_complain(&err) : MM_EXIT_DONE;
}

int mm_report_html(const char *path, const struct cca_given *html,
                   const struct cca_given *with)
{
    json_t *more = json_array();
    struct cca_error err = {0};
    struct mm_page page = {0};
    int result = -1;

    if (access(bundle_path(), R_OK) != 0)
        result = mm_refuse(MM_EXIT_SYSTEM,
                           "found no '%s', which the build makes where node and npm are",
                           mm_safe(bundle_path()));
    for (int i = 0; i < with->given && result < 0; i++)
        result = add_document(more, with->values[i]);
    if (result < 0 && mm_page_read(&page, path, &err))
        result = mm_complain(&err);
    if (result < 0)
        result = write_page(&page, path, more, html->values[html->given - 1]);
    mm_page_done(&page);
    json_decref(more);
    return result;
}
