extern int __VERIFIER_nondet_int(void);
int put, taken, length;

void enqueue(int times)
{
    int i = 0;
    while (i < times) {
        put++;
        length++;
        i++;
    }
}

int main(void)
{
    enqueue(3);
    while (__VERIFIER_nondet_int()) {
        taken++;
        length--;
    }
    enqueue(length);
    return length;
}
