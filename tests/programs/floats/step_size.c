// gnomon: false
// A loop with a float step of one tenth runs eleven times, not ten.
extern void __VERIFIER_error(void);

int main(void)
{
    int rounds = 0;
    for (float x = 0.0f; x < 1.0f; x += 0.1f)
        rounds++;
    double y = 0.0;
    while (y < 1.0) {
        y += 0.1;
        rounds++;
    }
    if (rounds != 20)
        __VERIFIER_error();
    return 0;
}
