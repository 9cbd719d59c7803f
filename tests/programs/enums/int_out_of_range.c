// gnomon: false
// An integer that is no enumerator is stored in an enum and falls through all tests.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

enum colour { BLACK, WHITE, GREY };

int main(void)
{
    enum colour c = (enum colour)(__VERIFIER_nondet_int() & 3);
    int handled = 0;
    if (c == BLACK)
        handled = 1;
    else if (c == WHITE)
        handled = 1;
    else if (c == GREY)
        handled = 1;
    if (!handled)
        reach_error();
    return 0;
}
