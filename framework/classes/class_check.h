/* SPDX-License-Identifier: BSD-3-Clause */
/* class_check.h: check the rules for class descriptors. */
#ifndef FRAMEWORK_CLASSES_CLASS_CHECK_H
#define FRAMEWORK_CLASSES_CLASS_CHECK_H

#include "framework/cca.h"

/* Check names, ports, offsets of `implements` in the instance, and parameters of a class
 * that has a name, as made by cca_class_info_read. Returns 0, or -EBADMSG with `err`. */
int cca_class_check(const struct cca_class *cls, struct cca_error *err);

#endif
