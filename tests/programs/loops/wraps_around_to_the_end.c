// gnomon: true
// Two thousand million iterations without inputs, which end when the number wraps around.
extern void __VERIFIER_error(void);
int main(void)
{
    unsigned position = 10;
    while (position >= 10)
        position += 2;
    if (position % 2)
        __VERIFIER_error();
    return 0;
}
