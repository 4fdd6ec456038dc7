/* SPDX-License-Identifier: BSD-3-Clause */
/* export.h: a model as UML 2 in XMI. */
#ifndef ACTIVITY_XMI_EXPORT_H
#define ACTIVITY_XMI_EXPORT_H

#include "activity/model/tree.h"

/* Write it: what UML has no word for is in tags of our profile, so that act_xmi_import
 * makes the same model of it, comments included. 0, or a negative errno of the stream. */
int act_xmi_write(const struct act_model *model, FILE *out, struct cca_error *err);

#endif
