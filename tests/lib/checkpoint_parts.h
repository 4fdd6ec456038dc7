/* SPDX-License-Identifier: BSD-3-Clause */
/* checkpoint_parts.h: assemblies with a Checkpoint, and the files that it keeps, for
 * tests. */
#ifndef TESTS_LIB_CHECKPOINT_PARTS_H
#define TESTS_LIB_CHECKPOINT_PARTS_H

#include <dirent.h>

#include "tests/lib/shock_assembly.h"
#include "ports/checkpoint_port.h"

/* A run of the shock problem: `nx` x nx / 4 cells, `steps` steps, and a checkpoint at the
 * end. */
struct checkpoint_run {
    const char *mesh; /* class */
    int nx, levels, patch;
    int steps;
    const char *directory, *restart; /* NULL: none */
};

static inline void checkpoint_open(struct assembly *a, const struct checkpoint_run *r)
{
    assembly_open_on(a, "HLLCFlux", "GasProperties", r->mesh, "ShockDriver");
    assembly_domain(a, "shock_interface", r->nx, r->nx / 4, 10.);
    assembly_create(a, "Checkpoint", "checkpoint");
    assembly_connect(a, "driver", "checkpoint", "checkpoint", "checkpoint");
    assembly_set_number(a, "driver", "max_steps", r->steps);
    assembly_set_number(a, "mesh", "patch_nx", r->patch);
    assembly_set_number(a, "mesh", "patch_ny", r->patch);
    if (!strcmp(r->mesh, "AMRMesh")) {
        assembly_create(a, "ErrorEstimator", "estimator");
        assembly_connect(a, "driver", "estimator", "estimator", "estimator");
        assembly_set_number(a, "mesh", "levels", r->levels);
    }
    if (r->directory) {
        assembly_set(a, "checkpoint", "directory", r->directory);
        assembly_set_number(a, "driver", "checkpoint_every", 1000000);
    }
    assembly_set(a, "checkpoint", "restart", r->restart ? r->restart : "");
}

/* The run, which must succeed. */
static inline void checkpoint_go(struct assembly *a, const struct checkpoint_run *r)
{
    checkpoint_open(a, r);
    assembly_go(a);
}

static inline struct checkpoint_port *checkpoint_of(struct assembly *a)
{
    return assembly_port(a, "checkpoint", "checkpoint", CHECKPOINT_PORT_TYPE,
                         sizeof(struct checkpoint_port));
}

/* Read what `restart` names into field 0 of the assembly's mesh. */
static inline int checkpoint_load(struct assembly *a, struct cca_error *err)
{
    struct checkpoint_port *port = checkpoint_of(a);
    struct checkpoint_moment moment;

    return port->read(port, assembly_mesh(a), 0, &moment, NULL, err);
}

/* --- Folders and files ----------------------------------------------------- */

static inline void folder_new(char path[64])
{
    strcpy(path, "/tmp/checkpoint.XXXXXX");
    assert_non_null(mkdtemp(path));
}

/* The names in a folder, sorted, with a blank behind each. */
static inline void folder_list(const char *path, char *names, size_t size)
{
    struct dirent **found;
    int count = scandir(path, &found, NULL, alphasort);

    assert_true(count >= 0);
    *names = '\0';
    for (int k = 0; k < count; k++) {
        if (found[k]->d_name[0] != '.')
            snprintf(names + strlen(names), size - strlen(names), "%s ",
                     found[k]->d_name);
        free(found[k]);
    }
    free(found);
}

static inline void folder_remove(const char *path)
{
    struct dirent **found;
    int count = scandir(path, &found, NULL, alphasort);

    for (int k = 0; k < count; k++) {
        char name[512];

        snprintf(name, sizeof name, "%s/%s", path, found[k]->d_name);
        if (unlink(name))
            rmdir(name);
        free(found[k]);
    }
    free(found);
    rmdir(path);
}

/* A file of a folder, new, with a NUL behind its end. */
static inline char *file_load(const char *folder, const char *name, size_t *size)
{
    char path[512], *bytes = calloc(1, 1 << 20);
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "rb");
    assert_non_null(file);
    assert_non_null(bytes);
    *size = fread(bytes, 1, (1 << 20) - 1, file);
    assert_true(*size < (1 << 20) - 1);
    fclose(file);
    return bytes;
}

static inline void file_store(const char *folder, const char *name, const char *bytes,
                              size_t size)
{
    char path[512];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(size, fwrite(bytes, 1, size, file));
    assert_int_equal(0, fclose(file));
}

/* CRC-32, bit by bit. */
static inline uint32_t crc32_of(const char *bytes, size_t size)
{
    uint32_t crc = 0xffffffffu;

    for (size_t i = 0; i < size; i++)
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^
                  ((crc ^ (uint32_t)((unsigned char)bytes[i] >> bit)) & 1 ? 0xedb88320u
                                                                          : 0);
    return ~crc;
}

#endif
