// gnomon: true
// A negative short keeps its value when widened, an unsigned one never becomes negative.
extern short __VERIFIER_nondet_short(void);
extern unsigned short __VERIFIER_nondet_ushort(void);
extern void reach_error(void);

int main(void)
{
    short s = __VERIFIER_nondet_short();
    unsigned short u = __VERIFIER_nondet_ushort();
    int is = s;
    int iu = u;
    if ((s < 0) != (is < 0))
        reach_error();
    if (iu < 0 || iu > 65535)
        reach_error();
    if ((short)is != s || (unsigned short)iu != u)
        reach_error();
    return 0;
}
