#pragma once

struct dice {
    int sides;
    int last;
};

/* The average of the values in `table`, of which there are `length`. */
int average(const int *table, int length);

void roll(struct dice *dice, unsigned number);
