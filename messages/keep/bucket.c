/* SPDX-License-Identifier: BSD-3-Clause */
/* bucket.c: histogram buckets of latencies. */
#include "messages/keep/keep.h"

#include <string.h>

/* Bucket 1 begins at 2^4 ns. */
enum { FIRST_OCTAVE = 4, QUARTERS = 4 };

/* 2^(1/4), 2^(2/4), 2^(3/4): upper ends of the quarters of an octave. */
static const double quarter[QUARTERS - 1] = {1.189207115002721066717499970560475915,
                                             1.414213562373095048801688724209698079,
                                             1.681792830507429086062250952466429790};

int mm_messages_bucket(double latency_ns)
{
    uint64_t bits;
    double mantissa;
    int octave, bucket;

    if (!(latency_ns >= 1 << FIRST_OCTAVE))
        return 0;
    memcpy(&bits, &latency_ns, sizeof bits);
    octave = (int)(bits >> 52) - 1023 - FIRST_OCTAVE;
    bits = (bits & 0x000fffffffffffffULL) | 0x3ff0000000000000ULL; /* mantissa, 1 to 2 */
    memcpy(&mantissa, &bits, sizeof mantissa);
    bucket = 1 + QUARTERS * octave + (mantissa >= quarter[0]) + (mantissa >= quarter[1]) +
             (mantissa >= quarter[2]);
    return bucket < MM_MESSAGES_BUCKETS ? bucket : MM_MESSAGES_BUCKETS - 1;
}

double mm_messages_bucket_ns(int bucket)
{
    double ns = 1 << FIRST_OCTAVE;

    if (bucket <= 0)
        return 0;
    for (int octave = (bucket - 1) / QUARTERS; octave > 0; octave--)
        ns *= 2;
    return (bucket - 1) % QUARTERS ? ns * quarter[(bucket - 1) % QUARTERS - 1] : ns;
}
