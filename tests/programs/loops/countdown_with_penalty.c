// gnomon: false
// Two wrong answers in a row cost so much that the score becomes negative.
extern int __VERIFIER_nondet_int(void);
extern void abort(void);
extern void reach_error(void);
static void __VERIFIER_assert(int cond)
{
    if (!cond) {
    ERROR:
        reach_error();
        abort();
    }
}

int main(void)
{
    int score = 20, streak = 0;
    for (int round = 0; round < 12; round++) {
        if (__VERIFIER_nondet_int() == 1) {
            score += 2;
            streak = 0;
        } else {
            streak++;
            score -= 2 * streak;
        }
        if (score > 100)
            score = 100;
        __VERIFIER_assert(score >= 0);
        if (streak == 4)
            break;
    }
    return 0;
}
