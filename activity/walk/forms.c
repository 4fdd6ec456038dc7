/* SPDX-License-Identifier: BSD-3-Clause */
/* forms.c: output formats that need no handler of their own, and the walk for formats
 * that have one. */
#include "activity/walk/forms.h"

#include <stdlib.h>

#include "activity/compile/emit.h"
#include "activity/xmi/export.h"

int act_form_walk(const struct act_model *model, int along_flow,
                  const struct act_content_handler *handler, struct cca_error *err)
{
    struct act_navigator navigator =
        along_flow ? act_navigator_flow(model) : act_navigator_text(model);
    int rc = navigator.context ? act_traverser_usual.walk(act_traverser_usual.context,
                                                          &navigator, handler, err)
                               : cca_no_memory(err);

    act_navigator_free(&navigator);
    return rc;
}

int act_form_text(const struct act_model *model, const struct act_form_options *options,
                  FILE *out, struct cca_error *err)
{
    char *text = act_model_print(model);

    (void)options;
    if (!text)
        return cca_no_memory(err);
    fputs(text, out);
    free(text);
    return 0;
}

int act_form_c(const struct act_model *model, const struct act_form_options *options,
               FILE *out, struct cca_error *err)
{
    int rc = act_emit_prelude(out);

    (void)options;
    return rc ? cca_error_set(err, rc, "the C of %s cannot be written", model->file)
              : act_emit(model, "", 0, out, err);
}

int act_form_xmi(const struct act_model *model, const struct act_form_options *options,
                 FILE *out, struct cca_error *err)
{
    (void)options;
    return act_xmi_write(model, out, err);
}
