#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "dice.h"

int main(int argc, char **argv) {
    int values[6], rolls = 0;
    struct dice dice = {.sides = 6};
    for (int i = 1; i < argc && rolls < 6; i++) {
        roll(&dice, (unsigned)atoi(argv[i]));
        assert(1 <= dice.last && dice.last <= 6);
        values[rolls++] = dice.last;
    }
    printf("average: %d\n", average(values, rolls));
    return 0;
}
