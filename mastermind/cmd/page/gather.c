/* SPDX-License-Identifier: BSD-3-Clause */
/* gather.c: walk a run once for each part of the page, and put its document together. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/cmd/graph/graph_svg.h"
#include "mastermind/cmd/model/model_verb.h"
#include "common/sort.h"
#include "mastermind/cmd/page/page.h"

/* The limit of rows per method for which all methods together keep `points` rows: methods
 * with fewer rows keep all, and leave the rest to the others. `sorted` ascends. */
static uint64_t level_of(const uint64_t *sorted, size_t count, uint64_t points)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t level = points / (count - i);

        if (sorted[i] > level)
            return level ? level : 1;
        points -= sorted[i];
    }
    return UINT64_MAX;
}

/* Replace each method's number of rows by n, where one row of n becomes a point of the
 * figures. Returns 0 or -ENOMEM. */
static int share_points(uint64_t *rows, size_t count)
{
    uint64_t *sorted = malloc((count + 1) * sizeof *sorted), level;

    if (!sorted)
        return -ENOMEM;
    memcpy(sorted, rows, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, cca_order_uint64);
    level = level_of(sorted, count, MM_PAGE_POINTS);
    free(sorted);
    for (size_t i = 0; i < count; i++)
        rows[i] = rows[i] > level ? (rows[i] - 1) / level + 1 : 1;
    return 0;
}

/* Set page->one_in from the calls in `dual`, if the run has more rows than points. */
static int thin_points(struct mm_page *page, const struct mm_dual *dual)
{
    uint64_t *rows;

    if (dual->rows <= MM_PAGE_POINTS)
        return 0;
    page->one_in = rows = calloc(page->source.method_count + 1, sizeof *rows);
    if (!rows)
        return -ENOMEM;
    for (size_t i = 0; i < page->source.method_count; i++)
        rows[i] = dual->vertices[i].calls - dual->vertices[i].folded;
    return share_points(rows, page->source.method_count);
}

static int add_row(const struct mm_row *row, const struct mm_joined *joined,
                   void *context)
{
    struct mm_page *page = context;
    int result = mm_page_calls_row(row, joined, &page->calls);

    return result ? result : mm_timeline_row(row, joined, &page->timeline);
}

static int add_aggregate(const struct mm_aggregate *aggregate,
                         const struct mm_joined *joined, void *context)
{
    struct mm_page *page = context;
    int result = mm_page_calls_aggregate(aggregate, joined, &page->calls);

    return result ? result : mm_timeline_aggregate(aggregate, joined, &page->timeline);
}

int mm_page_read(struct mm_page *page, const char *path, struct cca_error *err)
{
    struct mm_contexts_options options = {0};
    struct mm_profile_walk walk = {
        .row = add_row, .aggregate = add_aggregate, .context = page};

    *page = (struct mm_page){.metric = {.kind = MM_METRIC_TIME, .name = "TIME"}};
    page->experiment = mm_experiment_open(path, err);
    if (!page->experiment)
        return err->code;
    page->source = mm_row_source_of(page->experiment);
    page->timeline.source = &page->source;
    if (mm_page_calls_init(&page->calls, &page->source))
        return cca_no_memory(err);
    if (mm_contexts_walk(&page->source, &options, &page->contexts_dual, &page->contexts,
                         err))
        return err->code;
    if (thin_points(page, page->contexts_dual))
        return cca_no_memory(err);
    walk.one_in = page->one_in;
    page->profile =
        mm_profile_follow(&page->source, page->experiment->wiring, &walk, err);
    if (!page->profile)
        return err->code;
    if (mm_page_calls_end(&page->calls))
        return cca_no_memory(err);
    mm_timeline_end(&page->timeline);
    page->library = mm_library_fit(&page->profile, 1, NULL, err);
    if (!page->library)
        return err->code;
    if (mm_ranks_reserve(&page->profile->ranks, page->experiment->ranks) ||
        mm_library_note_apart(page->library))
        return cca_no_memory(err);
    return 0;
}

void mm_page_done(struct mm_page *page)
{
    mm_library_free(page->library);
    mm_profile_free(page->profile);
    mm_contexts_free(page->contexts);
    mm_dual_free(page->contexts_dual);
    mm_timeline_done(&page->timeline);
    mm_page_calls_done(&page->calls);
    mm_experiment_free(page->experiment);
    free(page->one_in);
    *page = (struct mm_page){0};
}

/* --- Documents of the verbs ---------------------------------------------------- */

/* The document of the verb report, with its methods in the order of the dual. */
static json_t *report_document(const struct mm_page *page, const struct mm_kept *kept,
                               const struct mm_mpi_profile *mpi,
                               const struct mm_shares *shares,
                               const struct mm_report_messages *messages)
{
    const struct mm_dual *dual = page->profile->dual;
    struct report report = {.experiment = page->experiment,
                            .dual = dual,
                            .metric = &page->metric,
                            .kept = *kept,
                            .ranks = &page->profile->ranks,
                            .mpi = mpi,
                            .shares = shares,
                            .messages = messages,
                            .rank = -1,
                            .limit = SIZE_MAX};
    json_t *document;

    report.lines = calloc(dual->vertex_count, sizeof *report.lines);
    if (!report.lines)
        return NULL;
    for (size_t i = 0; i < dual->thread_vertex; i++)
        if (dual->vertices[i].calls)
            report.lines[report.count++] = &dual->vertices[i];
        else
            report.silent++;
    document = mm_report_document(&report);
    free(report.lines);
    return document;
}

static json_t *graph_document(const struct mm_page *page, const struct mm_kept *kept)
{
    const struct mm_dual *dual = page->profile->dual;
    unsigned char *keep = calloc(dual->vertex_count, 1);
    json_t *document = NULL;

    if (keep) {
        mm_dual_core(dual, 0, keep);
        document = mm_graph_document(page->experiment, dual, kept, keep);
    }
    free(keep);
    return document;
}

static json_t *model_document(const struct mm_page *page)
{
    struct cca_given only = {.name = "--of-class"};
    struct mm_model_view view = {
        .library = page->library, .metric = &page->metric, .only = &only};

    return mm_model_document(&view, NULL, NULL);
}

/* Set a member; NULL means that memory is out. */
static void put_all(json_t *object, const char *key, json_t *value, struct cca_error *err)
{
    if (!value)
        cca_no_memory(err);
    mm_json_put(object, key, value);
}

json_t *mm_page_document(struct mm_page *page, json_t *findings, struct cca_error *err)
{
    json_t *document = mm_json_document("page"), *documents = json_object();
    struct mm_report_messages *messages = NULL;
    struct mm_mpi_profile mpi = {0};
    struct mm_shares shares = {0};
    struct mm_notes notes = {0};
    struct mm_kept kept;

    if (mm_kept_read(&kept, page->experiment, page->profile->dual, err) ||
        mm_mpi_profile_read(&mpi, page->experiment, -1, err) ||
        mm_shares_read(&shares, page->experiment, page->profile->dual, &mpi, -1, err) ||
        mm_report_messages_new(&messages, page->experiment, -1, err))
        goto done;
    if (mm_kept_note(&notes, "", &kept) || mm_kept_note_end(&notes, "", &kept)) {
        cca_no_memory(err);
        goto done;
    }
    mm_json_set(document, "run notes methods calls curves", mm_page_about(page),
                mm_json_notes(&notes, NULL), mm_page_methods(page),
                mm_page_calls_json(&page->calls), mm_page_curves(page));
    put_all(document, "contexts", mm_page_contexts(page), err);
    mm_json_set(document, "wiring ranks timeline", mm_page_wiring(page),
                mm_page_ranks(page), mm_timeline_json(&page->timeline));
    put_all(documents, "report", report_document(page, &kept, &mpi, &shares, messages),
            err);
    put_all(documents, "graph", graph_document(page, &kept), err);
    mm_json_put(documents, "model", model_document(page));
    mm_json_put(documents, "properties", json_incref(findings));
    mm_json_put(document, "documents", documents);
    documents = NULL;
done:
    json_decref(findings);
    json_decref(documents);
    mm_notes_done(&notes);
    mm_report_messages_free(messages);
    mm_shares_done(&shares);
    mm_mpi_profile_done(&mpi);
    if (!err->code)
        return document;
    json_decref(document);
    return NULL;
}
