/* SPDX-License-Identifier: BSD-3-Clause */
/* header_sidecar.c: apply a sidecar to the ports of a header. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/proxygen/read/read.h"
#include "tools/proxygen/perf/marks.h"
#include "tools/proxygen/read/sections.h"

static int apply(struct pg_port *port, const char *file, const char *text, size_t length,
                 struct cca_error *err)
{
    struct pg_source source = {
        .file = file, .text = text, .length = length, .line = 1, .column = 1, .lines = 1};

    return pg_marks_sidecar(port, &source, err);
}

static int apply_section(struct pg_ports *ports, const struct pg_sections *sections,
                         size_t index, struct cca_error *err)
{
    const struct pg_section *section = &sections->list[index];
    const struct pg_note at = {.line = section->line, .column = section->column};
    char *text;
    int status = -ENOENT;

    for (size_t i = 0; i < index; i++)
        if (strcmp(sections->list[i].key, section->key) == 0)
            return pg_note_fail(sections, &at, err, "port '%.80s' occurs twice",
                                section->key);
    text = pg_section_text(sections, index, "port");
    if (!text)
        return cca_no_memory(err);
    for (size_t i = 0; i < ports->count && status == -ENOENT; i++)
        if (strcmp(ports->list[i]->type, section->key) == 0)
            status = apply(ports->list[i], sections->file, text, strlen(text), err);
    free(text);
    return status == -ENOENT
               ? pg_note_fail(sections, &at, err, "no port in the header is '%.80s'",
                              section->key)
               : status;
}

int pg_ports_sidecar(struct pg_ports *ports, const char *file, const char *text,
                     size_t length, struct cca_error *err)
{
    static const char *const no_notes[] = {NULL};
    struct pg_sections sections;
    int status;

    /* if the header has one port, the parser of its marks reports all errors */
    if (ports->count == 1 || memchr(text, 0, length))
        return apply(ports->list[0], file, text, length, err);
    status = pg_sections_cut(&sections, file, text, length, "port", no_notes, err);
    if (status == 0 && sections.count && sections.stray_line)
        status = pg_note_fail(&sections,
                              &(struct pg_note){.line = sections.stray_line, .column = 1},
                              err, "a line before the first 'port TYPE'");
    if (status == 0 && sections.count == 0)
        status = apply(ports->list[0], file, text, length, err);
    for (size_t i = 0; i < sections.count && status == 0; i++)
        status = apply_section(ports, &sections, i, err);
    pg_sections_done(&sections);
    return status;
}
