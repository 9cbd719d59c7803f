#include "dice.h"

int average(const int *table, int length) {
    int sum = 0;
    for (int i = 0; i < length; i++)
        sum += table[i];
    return sum / length;
}

void roll(struct dice *dice, unsigned number) {
    dice->last = 1 + (int)(number % (unsigned)dice->sides);
}
