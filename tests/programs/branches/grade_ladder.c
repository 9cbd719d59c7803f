// gnomon: true
// A ladder of comparisons covers every score from zero to one hundred.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int score = __VERIFIER_nondet_int();
    char grade = 0;
    if (score < 0 || score > 100)
        return 1;
    if (score >= 90)
        grade = 'A';
    else if (score >= 75)
        grade = 'B';
    else if (score >= 50)
        grade = 'C';
    else
        grade = 'F';
    if (grade == 0)
        reach_error();
    if (grade == 'A' && score < 75)
        reach_error();
    if (grade == 'F' && score >= 50)
        reach_error();
    return 0;
}
