/* SPDX-License-Identifier: BSD-3-Clause */
/* colour.c: convert a path through CIELAB (lightness, hue, chroma) to sRGB. */
#include "components/FieldImage/parts.h"

#include <math.h>

/* Inverse of CIE's nonlinear function in CIELAB, to get XYZ. The next function encodes
 * light for sRGB. */
static double lab_inverse(double f)
{
    const double knee = 6. / 29.;

    return f > knee ? f * f * f : 3. * knee * knee * (f - 4. / 29.);
}

static uint8_t srgb_of(double light)
{
    double v;

    light = fmin(fmax(light, 0.), 1.);
    v = light <= .0031308 ? 12.92 * light : 1.055 * pow(light, 1. / 2.4) - .055;
    return (uint8_t)lround(255. * v);
}

void colour_map(double value, uint8_t rgb[3])
{
    const double pi = 3.14159265358979323846;
    /* the colours go from dark violet over blue and green to light yellow, and are not
     * pale at the ends */
    double lightness = 12. + 82. * value;
    double hue = (310. - 215. * value) * pi / 180.;
    double chroma = 42. + 22. * value * (1. - .2 * value) - 6. * sin(pi * value);
    double fy = (lightness + 16.) / 116.;
    double x = .9505 * lab_inverse(fy + chroma * cos(hue) / 500.);
    double y = lab_inverse(fy);
    double z = 1.0888 * lab_inverse(fy - chroma * sin(hue) / 200.);

    rgb[0] = srgb_of(3.2406 * x - 1.5372 * y - .4986 * z);
    rgb[1] = srgb_of(-.9689 * x + 1.8758 * y + .0415 * z);
    rgb[2] = srgb_of(.0557 * x - .2040 * y + 1.0570 * z);
}

void colour_outline(int index, uint8_t rgb[3])
{
    /* colours of outlines, from the palette of Okabe and Ito */
    static const uint8_t outlines[][3] = {
        {0xaa, 0x44, 0x99}, {0xd5, 0x5e, 0x00}, {0x00, 0x72, 0xb2}};

    for (int i = 0; i < 3; i++)
        rgb[i] = outlines[index][i];
}
