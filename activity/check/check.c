/* SPDX-License-Identifier: BSD-3-Clause */
/* check.c: check the text of a model against all rules. */
#include "activity/check/visit.h"

void act_check_text(struct act_findings *findings, const struct act_model *model)
{
    act_check_shape(findings, model);
    act_check_guards(findings, model);
    act_check_order(findings, model);
}
