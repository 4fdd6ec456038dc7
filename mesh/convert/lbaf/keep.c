/* SPDX-License-Identifier: BSD-3-Clause */
/* keep.c: lines of JSON with what the cells do not hold. */
#include "mesh/convert/lbaf/keep.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/format/json_check.h"
#include "mastermind/format/mesh_file.h"
#include "mesh/convert/lbaf/import.h"

/* The number in as few digits as bring it back. */
static void print_real(FILE *to, double value)
{
    char text[40];

    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    fputs(text, to);
}

static void print_task(FILE *to, const struct mesh_lbaf_rank *rank,
                       const struct mesh_lbaf_task *task)
{
    const struct mesh_lbaf_subphase *subs = rank->subphases + task->first_subphase;

    fprintf(to, "[%zu,", task->element);
    print_real(to, task->time);
    if (task->subphases || task->more)
        fputs(",[", to);
    for (uint32_t s = 0; s < task->subphases; s++) {
        fprintf(to, "%s[%" PRId64 ",", s ? "," : "", subs[s].id);
        print_real(to, subs[s].time);
        fputc(']', to);
    }
    if (task->subphases || task->more)
        fputc(']', to);
    if (task->more)
        fprintf(to, ",%s", task->more);
    fputc(']', to);
}

static void print_rank(FILE *to, const struct mesh_lbaf *lbaf, size_t number)
{
    const struct mesh_lbaf_rank *rank = &lbaf->ranks[number];

    fprintf(to, "\"rank\":%zu,\"head\":%s,\"phases\":[", number, rank->head);
    for (size_t p = 0; p < rank->phase_count; p++) {
        const struct mesh_lbaf_phase *phase = &rank->phases[p];

        fprintf(to, "%s{\"id\":%" PRId64 ",\"tasks\":[", p ? "," : "", phase->id);
        for (size_t t = 0; t < phase->tasks; t++) {
            fputs(t ? "," : "", to);
            print_task(to, rank, &rank->tasks[phase->first_task + t]);
        }
        fprintf(to, "],\"more\":%s}", phase->more);
    }
    fputs("]}", to);
}

/* Whether a name can be written as a text of JSON as it is. */
static int is_plain(const char *name)
{
    for (; *name; name++)
        if (*name <= ' ' || *name > '~' || *name == '"' || *name == '\\')
            return 0;
    return 1;
}

static int print_head(FILE *to, const struct mesh_lbaf *lbaf, const char *stem)
{
    int result = 0;

    fprintf(to,
            "\"format\":1,\"schema\":\"mastermind/mesh-tasks/1\",\"stem\":\"%s\","
            "\"ranks\":%zu,\"elements\":[",
            stem, lbaf->rank_count);
    for (size_t e = 0; !result && e < lbaf->element_count; e++) {
        char *entity = json_dumps(lbaf->elements[e].entity, JSON_COMPACT);

        if (entity)
            fprintf(to, "%s%s", e ? "," : "", entity);
        else
            result = -ENOMEM;
        free(entity);
    }
    fputs("]}", to);
    return result;
}

/* Print a line with its check. */
static int print_line(FILE *to, const struct mesh_lbaf *lbaf, const char *stem,
                      const size_t *rank)
{
    char *text = NULL, digits[MM_JSON_CHECK_DIGITS + 1];
    size_t size = 0;
    FILE *line = open_memstream(&text, &size);
    int result = 0;

    if (!line)
        return -ENOMEM;
    fputs("\",", line);
    if (rank)
        print_rank(line, lbaf, *rank);
    else
        result = print_head(line, lbaf, stem);
    if (ferror(line))
        result = -ENOMEM;
    if (fclose(line) != 0)
        result = -ENOMEM;
    if (!result) {
        mm_json_check(text, size, digits);
        fprintf(to, MM_JSON_CHECK_KEY "%s", digits);
        fwrite(text, 1, size, to);
        fputc('\n', to);
    }
    free(text);
    return result;
}

int mesh_lbaf_keep(const struct mesh_lbaf *lbaf, const char *stem, const char *folder,
                   const char *name, struct cca_error *err)
{
    char *path;
    FILE *to;
    int result;

    if (asprintf(&path, "%s/" MM_MESH_FOLDER "/%s" MESH_TASKS_SUFFIX, folder, name) < 0)
        return cca_no_memory(err);
    to = fopen(path, "wxe");
    if (!to) {
        result = cca_error_set(err, -errno, "%s: %s", path, strerror(errno));
        free(path);
        return result;
    }
    result = print_line(to, lbaf, is_plain(stem) ? stem : name, NULL);
    for (size_t r = 0; !result && r < lbaf->rank_count; r++)
        result = print_line(to, lbaf, stem, &r);
    if (result)
        cca_no_memory(err);
    errno = EIO;
    if ((ferror(to) | fclose(to)) && !result)
        result = cca_error_set(err, -errno, "%s: %s", path, strerror(errno));
    free(path);
    return result;
}
