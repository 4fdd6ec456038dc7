/* SPDX-License-Identifier: BSD-3-Clause */
/* script_cohort.c: the ranks agree on each step of the script. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "framework/script/script_core.h"

/* Kinds of steps; the digest of a step begins with its kind. */
#define OPENED "opened"
#define DONE "done"
#define READY "ready"

/* Write "FILE:LINE" of the current command. */
static const char *place_of(const struct cca_script *script, char *place, size_t size)
{
    snprintf(place, size, "%s:%d", script->file, script->line);
    return place;
}

int cca_script_agree(struct cca_script *script, uint64_t digest, int status,
                     const char *text, int *all_failed)
{
    char place[300];
    const struct cca_step step = {
        .digest = digest,
        .status = status,
        .place = script->file ? place_of(script, place, sizeof place) : NULL,
        .text = text};

    return cca_cohort_agree(script->cohort, &step, script->options.words, all_failed);
}

/* --- Opening -------------------------------------------------------------- */

/* Compute a digest of a file's bytes, if the file can be read twice. */
static uint64_t digest_of(FILE *file, const char *name, size_t *size)
{
    uint64_t digest = cca_digest_text(0, OPENED);
    char piece[4096];
    size_t n;

    *size = 0;
    if (fseek(file, 0, SEEK_SET) != 0)
        return cca_digest_text(digest, name);
    for (; (n = fread(piece, 1, sizeof piece, file)) > 0; *size += n)
        digest = cca_digest(digest, piece, n);
    rewind(file);
    return digest;
}

int cca_script_agree_on_file(struct cca_script *script, int status, FILE *file,
                             const char *name, struct cca_error *err)
{
    char text[sizeof err->text];
    uint64_t digest = 0;
    size_t size;

    if (!script->cohort)
        return status;
    snprintf(text, sizeof text, "%s", err->text);
    if (file) {
        digest = digest_of(file, name, &size);
        snprintf(text, sizeof text, "script '%s' of %zu bytes, digest %016" PRIx64, name,
                 size, digest);
    }
    status = cca_script_agree(script, digest, status, text, NULL);
    if (status != CCA_EXIT_DONE)
        *err = (struct cca_error){0};
    return status;
}

int cca_script_agree_on_result(struct cca_script *script, int status, const char *text,
                               int *goes_on)
{
    return cca_script_agree(script, cca_digest_text(0, DONE), status, text, goes_on);
}

/* --- The assembly --------------------------------------------------------- */

static void say_parameters(struct cca_script *script, const char *instance, FILE *out)
{
    struct cca_error err = {0};
    struct parameter_port *port =
        cca_framework_parameters(script->framework, instance, "config", &err);
    const struct cca_param_decl *decl;

    for (size_t i = 0; port && (decl = port->decl(port, i)); i++)
        fprintf(out, "%s.config.%s = %s\n", instance, decl->name,
                port->get(port, decl->name));
}

/* Describe the assembly as it must be on all ranks, one fact per line. Returns a new
 * string, or NULL.
 */
static char *describe(struct cca_script *script)
{
    struct builder_port *builder = script->builder;
    struct builder_instance instance;
    struct builder_connection link;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return NULL;
    for (size_t i = 0; builder->instance(builder, i, 1, &instance) == 0; i++) {
        fprintf(out, "instance %s of class %s, build %s\n", instance.name,
                instance.cls->name, instance.build_id);
        say_parameters(script, instance.name, out);
    }
    for (size_t i = 0; builder->connection(builder, i, &link) == 0; i++)
        fprintf(out, "connection %s.%s to %s.%s\n", link.user, link.uses_port,
                link.provider, link.provides_port);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

/* The ranks' descriptions differ: compare line by line until one differs. */
static int find_difference(struct cca_script *script, char *description)
{
    char *rest = description, *line;
    int status = CCA_EXIT_DONE;

    while (status == CCA_EXIT_DONE) {
        line = strsep(&rest, "\n");
        status =
            cca_script_agree(script, cca_digest_text(0, line ? line : ""), CCA_EXIT_DONE,
                             line && *line ? line : "nothing more in the assembly", NULL);
    }
    return status;
}

int cca_script_agree_to_go(struct cca_script *script, int status, struct cca_error *err)
{
    char *description = NULL;

    if (!script->cohort)
        return status;
    description = status == CCA_EXIT_DONE ? describe(script) : NULL;
    if (!description && status == CCA_EXIT_DONE)
        status = cca_script_outcome(-ENOMEM, err);
    status = cca_script_agree(script, cca_digest_text(0, READY), status, err->text, NULL);
    if (status == CCA_EXIT_DONE &&
        cca_script_agree(script, cca_digest_text(0, description), 0, NULL, NULL))
        status = find_difference(script, description);
    if (status != CCA_EXIT_DONE)
        *err = (struct cca_error){0};
    free(description);
    return status;
}
