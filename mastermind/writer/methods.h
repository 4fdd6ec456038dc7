/* SPDX-License-Identifier: BSD-3-Clause */
/* methods.h: methods.json, names and values of the recorded methods. */
#ifndef MASTERMIND_WRITER_METHODS_H
#define MASTERMIND_WRITER_METHODS_H

#include "mastermind/format/call_costs.h"
#include "ports/monitor_port.h"

/* Text of methods.json so far, without its end; empty if zero-initialised. */
struct mm_methods {
    char *text;
    size_t size, capacity;
    size_t count;
    int unwritten; /* 1: the file lacks part of the text */
};

/* Add method `id`, whose calls arrive through `entry`, and write dir/methods.json. 0;
 * -ENOMEM or an I/O error with `err`: the file and `methods` are then unchanged. */
int mm_methods_add(struct mm_methods *methods, const char *dir, uint32_t id,
                   enum mm_entry_kind entry, const struct monitor_method_decl *decl,
                   struct cca_error *err);
/* mm_methods_add in two steps: add method `id` to the text only; write an unwritten text.
 * If writing fails, the text remains. */
int mm_methods_note(struct mm_methods *methods, uint32_t id, enum mm_entry_kind entry,
                    const struct monitor_method_decl *decl, struct cca_error *err);
int mm_methods_write(struct mm_methods *methods, const char *dir, struct cca_error *err);
/* Add the object of a method, as text, to the text only. 0 or -ENOMEM. */
int mm_methods_copy(struct mm_methods *methods, const char *object, size_t bytes);
/* Write methods.json of an experiment without methods. */
int mm_methods_start(struct mm_methods *methods, const char *dir, struct cca_error *err);
void mm_methods_done(struct mm_methods *methods);

#endif
