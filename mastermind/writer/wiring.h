/* SPDX-License-Identifier: BSD-3-Clause */
/* wiring.h: wiring.json, the assembly as the script wrote it and the parameters of each
 * go. */
#ifndef MASTERMIND_WRITER_WIRING_H
#define MASTERMIND_WRITER_WIRING_H

#include "mastermind/writer/directory.h"
#include "ports/builder_port.h"

#include <jansson.h>

struct mm_wiring {
    json_t *assembly; /* instances and connections when the last snapshot was taken */
    json_t *measured; /* "instance.port" of what was interposed then */
    json_t *gos;
    size_t next_write; /* number of gos from which the next go is written */
};

int mm_wiring_init(struct mm_wiring *wiring); /* 0 or -ENOMEM */
void mm_wiring_done(struct mm_wiring *wiring);

/* Take down the assembly as it is now. 0; -ENOMEM: the last one stays. */
int mm_wiring_snapshot(struct mm_wiring *wiring, struct builder_port *builder);

/* A go begins, with the parameters that all instances of the last snapshot have now;
 * ends. */
int mm_wiring_go_begins(struct mm_wiring *wiring, struct builder_port *builder,
                        const char *instance, const char *port); /* 0 or -ENOMEM */
int mm_wiring_go_ends(struct mm_wiring *wiring, const char *instance, const char *port,
                      int result);

/* True where the file is to be written for this go. The file holds all gos, so a program
 * that goes thousands of times would write it for a square of that: past the first 256 it
 * is written whenever there are an eighth more. */
int mm_wiring_due(struct mm_wiring *wiring);

/* Write dir/wiring.json. 0 or a negative errno with `err`. */
int mm_wiring_write(const struct mm_wiring *wiring, const char *dir,
                    struct cca_error *err);
/* The same for a rank that is not the first: where the shared directory has none yet. */
int mm_wiring_offer(const struct mm_wiring *wiring, const struct mm_directory *directory,
                    struct cca_error *err);

#endif
