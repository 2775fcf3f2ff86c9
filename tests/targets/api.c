// Uses coopcheck.h: fails for one choice only.
#include <stdio.h>

#include "tracer/coopcheck.h"

int main(void) {
    const int first = coopcheck_choose(3);
    coopcheck_yield();
    const int second = coopcheck_choose(2);
    printf("%d %d\n", first, second);
    coopcheck_assert(first != 2 || second != 1, "two and one");
    return 0;
}
