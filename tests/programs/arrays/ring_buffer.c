// gnomon: true
// The indices of a ring buffer and its fill count stay in range.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

#define SIZE 8

static int ring[SIZE];

int main(void)
{
    int head = 0, tail = 0, count = 0;
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int()) {
            if (count < SIZE) {
                ring[head] = __VERIFIER_nondet_int();
                head = head + 1 == SIZE ? 0 : head + 1;
                count++;
            }
        } else if (count > 0) {
            tail = tail + 1 == SIZE ? 0 : tail + 1;
            count--;
        }
        if (head < 0 || head >= SIZE || tail < 0 || tail >= SIZE)
            reach_error();
        if (count < 0 || count > SIZE)
            reach_error();
    }
    return 0;
}
