/* SPDX-License-Identifier: BSD-3-Clause */
/* wiring.h: wiring.json, the assembly of the script and the parameters of each go. */
#ifndef MASTERMIND_WRITER_WIRING_H
#define MASTERMIND_WRITER_WIRING_H

#include "mastermind/writer/directory.h"
#include "ports/builder_port.h"

#include <jansson.h>

struct mm_wiring {
    json_t *assembly; /* JSON object with instances and connections of the last
                         snapshot */
    json_t *measured; /* JSON array with "instance.port" of the interposed ports of
                         that snapshot */
    json_t *gos;
    size_t next_write; /* number of gos at which the file is next written */
};

int mm_wiring_init(struct mm_wiring *wiring); /* 0 or -ENOMEM */
void mm_wiring_done(struct mm_wiring *wiring);

/* Take a snapshot of the assembly. Returns 0; -ENOMEM: the previous snapshot stays. */
int mm_wiring_snapshot(struct mm_wiring *wiring, struct builder_port *builder);

/* Start a go, with the current parameters of all instances of the last snapshot; end a
 * go. */
int mm_wiring_go_begins(struct mm_wiring *wiring, struct builder_port *builder,
                        const char *instance, const char *port); /* 0 or -ENOMEM */
int mm_wiring_go_ends(struct mm_wiring *wiring, const char *instance, const char *port,
                      int result);

/* True if the file must be written for this go. The file contains all gos, so writing it
 * for each of n gos would cost n squared; after 256 gos the interval grows by an eighth
 * each time. */
int mm_wiring_due(struct mm_wiring *wiring);

/* Write dir/wiring.json. 0 or a negative errno with `err`. */
int mm_wiring_write(const struct mm_wiring *wiring, const char *dir,
                    struct cca_error *err);
/* Like mm_wiring_write, for a rank other than 0: only if the shared directory has no such
 * file. */
int mm_wiring_offer(const struct mm_wiring *wiring, const struct mm_directory *directory,
                    struct cca_error *err);

#endif
