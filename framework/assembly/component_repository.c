/* SPDX-License-Identifier: BSD-3-Clause */
/* component_repository.c: the port by which components use the repository. */
#include "framework/assembly/assembly.h"

#include <errno.h>

static struct cca_framework *framework_of(struct component_repository_port *self)
{
    return cca_container_of(self, struct cca_component_repository, port)->framework;
}

static void describe(const struct cca_repository *repository,
                     const struct cca_class_info *info, struct component_class *item)
{
    *item = (struct component_class){.cls = &info->cls,
                                     .file = info->file,
                                     .build_id = info->build_id,
                                     .loaded = cca_repository_loaded(repository, info)};
}

static int available(struct component_repository_port *self, size_t index,
                     struct component_class *item)
{
    const struct cca_repository *repository = framework_of(self)->repository;
    const struct cca_class_info *info = cca_repository_class(repository, index);

    if (!info)
        return -ENOENT;
    describe(repository, info, item);
    return 0;
}

static int find_class(struct component_repository_port *self, const char *name,
                      struct component_class *item, struct cca_error *err)
{
    const struct cca_repository *repository = framework_of(self)->repository;
    const struct cca_class_info *info = cca_repository_find(repository, name);

    if (!info)
        return cca_repository_unknown(repository, name, err);
    describe(repository, info, item);
    return 0;
}

static int append_path(struct component_repository_port *self, const char *dir,
                       struct cca_error *err)
{
    return cca_repository_path_append(framework_of(self)->repository, dir, err);
}

static int load_class(struct component_repository_port *self, const char *name,
                      int global, struct cca_error *err)
{
    struct cca_framework *framework = framework_of(self);
    const struct cca_class_info *info = cca_repository_find(framework->repository, name);
    struct cca_error own = {0}, *e = err ? err : &own;

    if (!info)
        return cca_repository_unknown(framework->repository, name, err);
    if (framework->options.dry)
        return cca_error_set(err, -ENOSYS, "class '%s' is not loaded in a dry run", name);
    return cca_repository_load(framework->repository, info, global, e) ? 0 : e->code;
}

void cca_component_repository_init(struct cca_component_repository *repository,
                                   struct cca_framework *framework)
{
    *repository = (struct cca_component_repository){
        .port = {.base = {COMPONENT_REPOSITORY_PORT_TYPE,
                          sizeof(struct component_repository_port)},
                 .available = available,
                 .find = find_class,
                 .append_path = append_path,
                 .load = load_class},
        .framework = framework};
}
