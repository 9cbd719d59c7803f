// gnomon: false
// The day after Sunday is computed without wrapping around.
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

enum day { MONDAY, TUESDAY, WEDNESDAY, THURSDAY, FRIDAY, SATURDAY, SUNDAY };

int main(void)
{
    enum day today = (enum day)(__VERIFIER_nondet_uint() % 7);
    unsigned ahead = __VERIFIER_nondet_uint();
    if (ahead > 7)
        return 0;
    unsigned later = today + ahead;
    if (later > 7)
        later -= 7;
    if (later > SUNDAY)
        reach_error();
    return 0;
}
