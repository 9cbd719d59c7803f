// gnomon: true
// The counters of a queue, moved by functions: length = put - taken.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int put, taken, length;

void enqueue(void)
{
    put++;
    length++;
}

void dequeue(void)
{
    if (length > 0) {
        taken++;
        length--;
    }
}

int main(void)
{
    while (put < 1000 && __VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int())
            enqueue();
        else
            dequeue();
    }
    if (length != put - taken)
        reach_error();
    return 0;
}
