/* SPDX-License-Identifier: BSD-3-Clause */
/* steps.c: calls step.c. */
#include "step.h"

int main(void)
{
    return step(50, 0) + step(0, 1) + step(80, 0) != 130;
}
