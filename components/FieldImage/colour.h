/* SPDX-License-Identifier: BSD-3-Clause */
/* colour.h: a colour map with evenly growing lightness, so that order and steps are
 * visible even without colours. */
#ifndef COMPONENTS_FIELDIMAGE_COLOUR_H
#define COMPONENTS_FIELDIMAGE_COLOUR_H

#include <stdint.h>

/* The colour of a value between 0 (dark) and 1 (light): red, green, blue as sRGB. */
void colour_map(double value, uint8_t rgb[3]);

/* One of three colours that people with any colour vision can distinguish, `index` 0 to
 * 2: purple, red, blue. */
void colour_outline(int index, uint8_t rgb[3]);

#endif
