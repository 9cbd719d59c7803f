// gnomon: false
// The ladder has a gap for one value.
// inputs: 75
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int score = __VERIFIER_nondet_int();
    char grade = 0;
    if (score >= 0 && score < 50)
        grade = 'F';
    if (score >= 50 && score < 75)
        grade = 'C';
    if (score > 75 && score <= 100)
        grade = 'A';
    if (score >= 0 && score <= 100 && grade == 0)
        reach_error();
    return 0;
}
