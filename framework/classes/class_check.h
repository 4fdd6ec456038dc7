/* SPDX-License-Identifier: BSD-3-Clause */
/* class_check.h: the rules that a class descriptor keeps. */
#ifndef FRAMEWORK_CLASSES_CLASS_CHECK_H
#define FRAMEWORK_CLASSES_CLASS_CHECK_H

#include "framework/cca.h"

/* Check names, ports, the places of `implements` in the instance, and parameters of a
 * class that has a name, as cca_class_info_read makes it. 0, or -EBADMSG with `err`. */
int cca_class_check(const struct cca_class *cls, struct cca_error *err);

#endif
