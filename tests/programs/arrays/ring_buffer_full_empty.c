// gnomon: false
// Head equals tail both when the ring is empty and when it is full.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

#define SIZE 4

int main(void)
{
    int head = 0, tail = 0, count = 0;
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int() && count < SIZE) {
            head = (head + 1) % SIZE;
            count++;
        } else if (count > 0) {
            tail = (tail + 1) % SIZE;
            count--;
        }
        if (head == tail && count != 0)
            reach_error();
    }
    return 0;
}
