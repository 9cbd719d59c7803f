// gnomon: true
// A cursor that walks an array by pointer arithmetic stays within its bounds.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int buffer[10];
    int *end = buffer + 10;
    int *p = buffer;
    int steps = 0;
    while (p != end) {
        if (p < buffer || p >= end)
            reach_error();
        *p++ = steps++;
    }
    if (p - buffer != 10 || steps != 10)
        reach_error();
    int i = __VERIFIER_nondet_int();
    if (i >= 0 && i < 10 && *(buffer + i) > 9)
        reach_error();
    return 0;
}
