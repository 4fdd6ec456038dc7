/* SPDX-License-Identifier: BSD-3-Clause */
/* embed.c: AbstractFramework: make a main program an instance, and create frameworks
 * inside frameworks. */
#include "framework/assembly/assembly.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/classes/elf_file.h"

/* Read the build id of the program; "" if it cannot be read. */
static void read_build_id(const char *file, char *build_id, size_t size)
{
    struct cca_elf_file elf;
    int fd = open(file, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return;
    if (!cca_elf_file_read(&elf, fd, NULL))
        snprintf(build_id, size, "%s", elf.build_id);
    cca_elf_file_done(&elf);
    close(fd);
}

/* Make a class for code that is in no library. */
static struct cca_class_info *embedded_class(const char *class_name,
                                             struct cca_error *err)
{
    struct cca_class_info *info = calloc(1, sizeof *info);

    if (info)
        info->memory = strdup(class_name);
    if (info)
        info->file = realpath("/proc/self/exe", NULL);
    if (info && !info->file)
        info->file = strdup("");
    if (!info || !info->memory || !info->file) {
        cca_embedded_free(info);
        cca_no_memory(err);
        return NULL;
    }
    if (*info->file)
        read_build_id(info->file, info->build_id, sizeof info->build_id);
    info->cls = (struct cca_class){.abi = CCA_ABI,
                                   .size = sizeof(struct cca_class),
                                   .name = info->memory,
                                   .summary = "code of the program itself",
                                   .flags = CCA_DYNAMIC_PORTS};
    return info;
}

struct cca_services *cca_framework_get_services(struct cca_framework *framework,
                                                const char *name, const char *class_name,
                                                const struct cca_typemap *properties,
                                                struct cca_error *err)
{
    struct cca_error own = {0}, *e = err ? err : &own;
    struct builder_event event = {.type = BUILDER_CREATED, .instance = name};
    struct cca_instance *instance = NULL;
    struct cca_class_info *info;

    if (!class_name) {
        cca_error_set(e, -EINVAL, "getServices names no class");
        return NULL;
    }
    if (cca_change_begin(framework, "getServices", e))
        return NULL;
    info = embedded_class(class_name, e);
    if (info && cca_instance_embed(framework, info, name, properties, &instance, e))
        instance = NULL;
    if (instance) {
        instance->announced = 1;
        cca_builder_event(framework, &event);
    }
    cca_change_end(framework);
    return instance ? &instance->services : NULL;
}

int cca_framework_release_services(struct cca_framework *framework,
                                   struct cca_services *services, struct cca_error *err)
{
    struct cca_instance *instance = services->instance;
    int status;

    if (instance->framework != framework || !instance->embedded)
        return cca_error_set(err, -EINVAL,
                             "'%s' was not made by getServices of this framework",
                             instance->name);
    status = cca_change_begin(framework, "releaseServices", err);
    if (status)
        return status;
    status = cca_instance_remove(instance, err);
    cca_change_end(framework);
    return status;
}

struct cca_framework *cca_framework_new_empty(const struct cca_framework *like,
                                              struct cca_error *err)
{
    struct cca_framework_options options = like->options;
    struct cca_framework *framework;
    const char *dir;

    options.served = NULL; /* only one framework of a process serves the port type
                            * `served` */
    framework = cca_framework_new(&options, err);
    for (size_t i = 0; framework && (dir = cca_repository_path(like->repository, i)); i++)
        if (cca_repository_path_append(framework->repository, dir, err)) {
            cca_framework_free(framework);
            return NULL;
        }
    return framework;
}

/* --- The port ------------------------------------------------------------- */

static struct cca_framework *framework_of(struct abstract_framework_port *self)
{
    return cca_container_of(self, struct cca_abstract_framework, port)->framework;
}

static struct cca_framework *create_empty(struct abstract_framework_port *self,
                                          struct cca_error *err)
{
    return cca_framework_new_empty(framework_of(self), err);
}

static struct cca_services *get_services(struct abstract_framework_port *self,
                                         struct cca_framework *framework,
                                         const char *name, const char *class_name,
                                         const struct cca_typemap *properties,
                                         struct cca_error *err)
{
    return cca_framework_get_services(framework ? framework : framework_of(self), name,
                                      class_name, properties, err);
}

static int release_services(struct abstract_framework_port *self,
                            struct cca_services *services, struct cca_error *err)
{
    (void)self;
    return cca_framework_release_services(services->instance->framework, services, err);
}

static void shut_down(struct abstract_framework_port *self,
                      struct cca_framework *framework)
{
    (void)self;
    cca_framework_free(framework);
}

void cca_abstract_framework_init(struct cca_abstract_framework *abstract,
                                 struct cca_framework *framework)
{
    *abstract = (struct cca_abstract_framework){
        .port = {.base = {ABSTRACT_FRAMEWORK_PORT_TYPE,
                          sizeof(struct abstract_framework_port)},
                 .create_empty = create_empty,
                 .get_services = get_services,
                 .release_services = release_services,
                 .shutdown = shut_down},
        .framework = framework};
}
