/* SPDX-License-Identifier: BSD-3-Clause */
/* span.c: find the address range of a loaded shared object. */
#include "framework/base/base.h"

#include <link.h>

struct search {
    uintptr_t address;
    struct cca_span found;
};

static int match_object(struct dl_phdr_info *object, size_t size, void *context)
{
    struct search *search = context;
    struct cca_span span = {object->dlpi_addr, UINTPTR_MAX, 0};

    (void)size;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        uintptr_t start = object->dlpi_addr + segment->p_vaddr;

        if (segment->p_type != PT_LOAD)
            continue;
        span.start = start < span.start ? start : span.start;
        span.end =
            start + segment->p_memsz > span.end ? start + segment->p_memsz : span.end;
    }
    if (search->address < span.start || search->address >= span.end)
        return 0;
    search->found = span;
    return 1;
}

struct cca_span cca_span_of(const void *address)
{
    struct search search = {.address = (uintptr_t)address};

    dl_iterate_phdr(match_object, &search);
    return search.found;
}
