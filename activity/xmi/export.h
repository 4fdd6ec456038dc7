/* SPDX-License-Identifier: BSD-3-Clause */
/* export.h: a model as UML 2 in XMI. */
#ifndef ACTIVITY_XMI_EXPORT_H
#define ACTIVITY_XMI_EXPORT_H

#include "activity/model/tree.h"

/* Write the model. Parts of the language that UML lacks become tags of our profile, so
 * that act_xmi_import reads the same model again, comments included. Returns 0, or a
 * negative errno of the stream. */
int act_xmi_write(const struct act_model *model, FILE *out, struct cca_error *err);

#endif
