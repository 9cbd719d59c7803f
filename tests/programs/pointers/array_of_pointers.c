// gnomon: true
// An array of pointers to counters: the sum of the counters is the number of events.
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void)
{
    unsigned red = 0, green = 0, blue = 0, events = 0;
    unsigned *table[3] = {&red, &green, &blue};
    unsigned n = __VERIFIER_nondet_uint();
    while (events < n) {
        unsigned colour = __VERIFIER_nondet_uint() % 3;
        *table[colour] += 1;
        events++;
    }
    if (red + green + blue != events)
        reach_error();
    return 0;
}
