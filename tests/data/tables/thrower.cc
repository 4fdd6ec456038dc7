/* SPDX-License-Identifier: BSD-3-Clause */
/* thrower.cc: C++ around a wrapped table: exceptions reach their handler. */
#include "thrower_tables.h"

#include <cstdio>
#include <string>

static int call(void *context, int n)
{
    if (n % 2)
        throw std::string("odd");
    return static_cast<int *>(context)[0] + n;
}

int main()
{
    const thrower inner = {call};
    thrower *outer = thrower_wrap(&inner, "thrower");
    int base = 10, caught = 0, sum = 0;

    for (int n = 0; n < 10; n++) {
        try {
            sum += outer->call(&base, n);
        } catch (const std::string &what) {
            caught += what == "odd";
        }
    }
    std::printf("%d %d\n", caught, sum);
    return caught == 5 && sum == 70 ? 0 : 1;
}
