// Writes a character at a time, each through the stream functions of the library, and never stops.
#include <stdio.h>

int main(void) {
    for (;;) fputs("x", stderr);
}
