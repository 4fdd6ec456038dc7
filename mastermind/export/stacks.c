/* SPDX-License-Identifier: BSD-3-Clause */
/* stacks.c: write calling contexts as stacks: collapsed stacks, speedscope, Caliper. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/export/formats.h"

/* --- Collapsed ------------------------------------------------------------ */

static void print_frame(FILE *file, const char *name)
{
    for (const char *c = name; *c; c++)
        fputc(*c == ';' ? ':' : (unsigned char)*c < 0x20 ? '?' : *c, file);
}

static void print_stack(FILE *file, const struct mm_contexts *contexts, size_t at)
{
    if (contexts->items[at].parent != MM_NO_CONTEXT) {
        print_stack(file, contexts, contexts->items[at].parent);
        fputc(';', file);
    }
    print_frame(file, contexts->items[at].name);
}

void mm_export_folded(FILE *file, const struct mm_export *run)
{
    int64_t sum_ns = 0, told_us = 0;

    for (size_t i = 0; i < run->contexts->count; i++) {
        int64_t us;

        if (run->contexts->items[i].exclusive_ns <= 0)
            continue;
        sum_ns += run->contexts->items[i].exclusive_ns;
        us = (sum_ns + 500) / 1000 - told_us;
        if (us <= 0)
            continue;
        told_us += us;
        print_stack(file, run->contexts, i);
        fprintf(file, " %" PRId64 "\n", us);
    }
}

static void print_sampled(FILE *file, const struct mm_run_stacks *stacks, size_t at)
{
    const struct mm_run_stack_node *node = &stacks->nodes[at];
    const char *above = NULL;

    if (node->parent >= 0) {
        print_sampled(file, stacks, (size_t)node->parent);
        fputc(';', file);
        above = stacks->nodes[node->parent].file;
    }
    if (node->file && (!above || strcmp(above, node->file) != 0)) {
        print_frame(file, node->file);
        fputs(": ", file);
    }
    print_frame(file, node->function);
}

void mm_export_folded_stacks(FILE *file, const struct mm_run_stacks *stacks)
{
    for (size_t i = 0; i < stacks->count; i++) {
        if (!stacks->nodes[i].stacks)
            continue;
        print_sampled(file, stacks, i);
        fprintf(file, " %" PRId64 "\n",
                ((int64_t)stacks->nodes[i].stacks * stacks->period_ns + 500) / 1000);
    }
}

/* --- speedscope ----------------------------------------------------------- */

/* Return the number of the frame of each vertex (method); (uint32_t)-1: unused. */
static uint32_t *frames_of(const struct mm_contexts *contexts, uint32_t *count,
                           size_t **context_of)
{
    uint32_t *frame = malloc((contexts->method_count + 4) * sizeof *frame);

    *context_of = calloc(contexts->method_count + 4, sizeof **context_of);
    *count = 0;
    if (!frame || !*context_of) {
        free(frame);
        return NULL;
    }
    memset(frame, 0xff, (contexts->method_count + 4) * sizeof *frame);
    for (size_t i = 0; i < contexts->count; i++)
        if (frame[contexts->items[i].vertex] == UINT32_MAX) {
            (*context_of)[*count] = i;
            frame[contexts->items[i].vertex] = (*count)++;
        }
    return frame;
}

static void print_sample(FILE *file, const struct mm_contexts *contexts,
                         const uint32_t *frame, size_t at, int first)
{
    if (contexts->items[at].parent != MM_NO_CONTEXT)
        print_sample(file, contexts, frame, contexts->items[at].parent, 0);
    fprintf(file, "%" PRIu32 "%s", frame[contexts->items[at].vertex], first ? "" : ",");
}

int mm_export_speedscope(FILE *file, const struct mm_export *run)
{
    const struct mm_contexts *contexts = run->contexts;
    uint32_t count;
    size_t *context_of = NULL;
    uint32_t *frame = frames_of(contexts, &count, &context_of);
    char *name = mm_export_quoted(run->experiment->name);
    int64_t end = 0;
    int told = 0, status = frame && name ? 0 : -ENOMEM;

    if (!status)
        fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
              "\"shared\":{\"frames\":[",
              file);
    for (uint32_t i = 0; i < count && !status; i++) {
        char *text = mm_export_quoted(contexts->items[context_of[i]].name);

        if (text)
            fprintf(file, "%s\n{\"name\":%s}", i ? "," : "", text);
        else
            status = -ENOMEM;
        free(text);
    }
    if (!status)
        fprintf(file,
                "]},\n\"profiles\":[{\"type\":\"sampled\",\"name\":%s,\"unit\":"
                "\"nanoseconds\","
                "\"startValue\":0,\n\"samples\":[",
                name);
    for (size_t i = 0; i < contexts->count && !status; i++)
        if (contexts->items[i].exclusive_ns > 0) {
            fputs(told++ ? ",\n[" : "[", file);
            print_sample(file, contexts, frame, i, 1);
            fputc(']', file);
        }
    told = 0;
    fputs("],\n\"weights\":[", file);
    for (size_t i = 0; i < contexts->count && !status; i++)
        if (contexts->items[i].exclusive_ns > 0) {
            fprintf(file, "%s%" PRId64, told++ ? "," : "",
                    contexts->items[i].exclusive_ns);
            end += contexts->items[i].exclusive_ns;
        }
    fprintf(file, "],\n\"endValue\":%" PRId64 "}],\n\"exporter\":\"mastermind\"}\n", end);
    free(frame);
    free(context_of);
    free(name);
    return status;
}

/* --- Caliper -------------------------------------------------------------- */

/* Sum the cells (calls by rank and mode) of a context on one rank; they are adjacent. */
static size_t rank_sums(const struct mm_calling_context *context, size_t cell,
                        uint64_t *calls, int64_t *ns)
{
    int rank = context->cells[cell].rank;

    *calls = 0;
    *ns = 0;
    for (; cell < context->cell_count && context->cells[cell].rank == rank; cell++) {
        *calls += context->cells[cell].calls;
        *ns += context->cells[cell].exclusive_ns;
    }
    return cell;
}

int mm_export_caliper(FILE *file, const struct mm_export *run)
{
    const struct mm_contexts *contexts = run->contexts;
    int told = 0, status = 0;
    char *name = mm_export_quoted(run->experiment->name);

    if (!name)
        return -ENOMEM;
    fputs("{\"data\":[", file);
    for (size_t i = 0; i < contexts->count; i++) {
        const struct mm_calling_context *context = &contexts->items[i];

        for (size_t cell = 0; cell < context->cell_count;) {
            uint64_t calls;
            int64_t ns;
            int rank = context->cells[cell].rank;

            cell = rank_sums(context, cell, &calls, &ns);
            fprintf(file, "%s\n[%.9f,%" PRIu64 ",%d,%zu]", told++ ? "," : "",
                    (double)ns * 1e-9, calls, rank, i);
        }
        if (!context->cell_count) /* Hatchet needs a line for each context, also
                                     without calls */
            fprintf(file, "%s\n[0,0,0,%zu]", told++ ? "," : "", i);
    }
    fputs("],\n\"columns\":[\"sum#time.duration\",\"count\",\"mpi.rank\",\"path\"],\n"
          "\"column_metadata\":[{\"is_value\":true},{\"is_value\":true},{\"is_value\":"
          "true},"
          "{\"is_value\":false}],\n\"nodes\":[",
          file);
    for (size_t i = 0; i < contexts->count && !status; i++) {
        char *label = mm_export_quoted(contexts->items[i].name);

        if (!label) {
            status = -ENOMEM;
            break;
        }
        fprintf(file, "%s\n{\"label\":%s,\"column\":\"path\"", i ? "," : "", label);
        if (contexts->items[i].parent != MM_NO_CONTEXT)
            fprintf(file, ",\"parent\":%zu", contexts->items[i].parent);
        fputc('}', file);
        free(label);
    }
    fprintf(file, "],\n\"experiment\":%s,\"creator\":\"mastermind\"}\n", name);
    free(name);
    return status;
}
