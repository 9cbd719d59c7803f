// gnomon: false 5 the function is entered while one that must not be interrupted runs
// option: functions=parse emit
extern int __VERIFIER_nondet_int(void);
static int count;
static int emit(int n)
{
    return n + 1;
}
static int parse(int n) { return n > 5 ? emit(n) : n; }
int main(void) { return parse(__VERIFIER_nondet_int()); }
