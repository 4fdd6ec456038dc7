/* SPDX-License-Identifier: BSD-3-Clause */
/* repository.h: the component classes on the search path, and their loading. */
#ifndef FRAMEWORK_REPOSITORY_H
#define FRAMEWORK_REPOSITORY_H

#include "framework/class_info.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cca_repository;

/* make a repository; NULL: out of memory */
CCA_API struct cca_repository *cca_repository_new(void);
/* Free a repository; its libraries stay loaded. */
CCA_API void cca_repository_free(struct cca_repository *repository);

/* From now on refuse directories and libraries that users other than root, this user and
 * the owner of the program can have written. Adding such a directory to the path returns
 * -EPERM; such a library counts as damaged. */
CCA_API void cca_repository_be_strict(struct cca_repository *repository);

/* Change the path, a list of directories. Each change reads the descriptors of the *.so
 * files in new directories; files that are no components are skipped. Of classes with the
 * same name the first is used. A directory that is already on the path is moved. Returns
 * 0; -ENOENT, -ENOTDIR, -EPERM with `err`. */
CCA_API int cca_repository_path_append(struct cca_repository *repository, const char *dir,
                                       struct cca_error *err);
CCA_API int cca_repository_path_prepend(struct cca_repository *repository,
                                        const char *dir, struct cca_error *err);
CCA_API void cca_repository_path_clear(struct cca_repository *repository);
/* Set the directory that remains last on the path when the path changes. */
CCA_API int cca_repository_path_fallback(struct cca_repository *repository,
                                         const char *dir, struct cca_error *err);
CCA_API const char *cca_repository_path(const struct cca_repository *repository,
                                        size_t index);

/* Return the class with index `index` in order of name, or the class with a name; NULL:
 * none. Borrowed for the life of the repository. */
CCA_API const struct cca_class_info *
cca_repository_class(const struct cca_repository *repository, size_t index);
CCA_API const struct cca_class_info *
cca_repository_find(const struct cca_repository *repository, const char *name);
/* Return the class whose descriptor has `type` as .proxy_for, or among .serves; NULL:
 * none. If no class is a proxy for the type itself, a class for described types
 * (.proxy_for "*SUFFIX") is used, if a description of the type exists. */
CCA_API const struct cca_class_info *
cca_repository_proxy_for(const struct cca_repository *repository, const char *type);
CCA_API const struct cca_class_info *
cca_repository_serves(const struct cca_repository *repository, const char *type);
/* Find the first file on the path that describes `type` for a class of proxies for
 * described types. Returns its path, new; NULL with errno ENOENT or ENOMEM. */
CCA_API char *cca_repository_description(const struct cca_repository *repository,
                                         const struct cca_class *cls, const char *type);
/* Report that there is no class `name`, with the likely reason: a library on the path
 * with a similar name (NAME.so, libNAME.so; of `a.b.NAME` the last part) is damaged, no
 * component or another class; else a class with a similar name exists. Returns -ENOENT,
 * or -ENOMEM. */
CCA_API int cca_repository_unknown(const struct cca_repository *repository,
                                   const char *name, struct cca_error *err);

/* Return the file with index `index` among the files on the path that looked like
 * libraries and were refused, and the reason; NULL beyond the last. Printed by
 * `repository list`, and by `ccafe check` if a class is not found. */
CCA_API const char *cca_repository_refused(const struct cca_repository *repository,
                                           size_t index, const char **reason);

/* Function that is called before a class is loaded for the first time. Returns 0 to allow
 * it, or a negative errno with `err`. */
typedef int (*cca_repository_ask)(void *context, const struct cca_class_info *info,
                                  struct cca_error *err);
CCA_API void cca_repository_ask_first(struct cca_repository *repository,
                                      cca_repository_ask ask, void *context);
/* Load a class (once; RTLD_NOW, local unless `global`, never unloaded) and compare it
 * with the descriptor in the file. Returns the class with its functions, borrowed for the
 * life of the repository (strings and functions for ever, `provides` not), or NULL with
 * `err`. */
CCA_API const struct cca_class *cca_repository_load(struct cca_repository *repository,
                                                    const struct cca_class_info *info,
                                                    int global, struct cca_error *err);
/* Find, once for each class, the libraries, versions and symbols that loading it would
 * miss, without loading it. Each of them is a finding, one line; cca_repository_finding
 * returns NULL beyond the last. cca_repository_rehearse returns 0 or -ENOMEM. */
CCA_API int cca_repository_rehearse(struct cca_repository *repository,
                                    const struct cca_class_info *info, int global,
                                    struct cca_error *err);
CCA_API const char *cca_repository_finding(const struct cca_repository *repository,
                                           size_t index);
/* Return the descriptor in memory of the library whose class cca_repository_load has
 * returned; its `size` may differ from the class's. */
CCA_API const struct cca_class *cca_repository_descriptor(const struct cca_class *loaded);
/* Load a library that is no component but has symbols which libraries loaded later need
 * (RTLD_NOW, global, never unloaded). A name without '/' is searched on the path, then by
 * the dynamic linker. `dry`: rehearse it, load nothing. Returns 0; -ENOENT and other
 * negative errno of the file; -ENOEXEC, -EBADMSG not a complete shared object; -ELIBBAD
 * the dynamic linker refuses it. */
CCA_API int cca_repository_load_ports(struct cca_repository *repository,
                                      const char *library, int dry,
                                      struct cca_error *err);
/* Return the loaded class whose library contains the address `code`, and the offset of
 * the address in the file; NULL: none. Borrowed. Takes no lock and allocates nothing. */
CCA_API const struct cca_class_info *
cca_repository_at(const struct cca_repository *repository, uintptr_t code,
                  uintptr_t *offset);
/* True if the class is loaded. */
CCA_API int cca_repository_loaded(const struct cca_repository *repository,
                                  const struct cca_class_info *info);

#ifdef __cplusplus
}
#endif
#endif
