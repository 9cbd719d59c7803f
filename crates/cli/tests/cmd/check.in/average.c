extern int __VERIFIER_nondet_int(void);
#define N 4

int main(void) {
    int a[N], sum = 0;
    for (int i = 0; i < N; i++)
        a[i] = __VERIFIER_nondet_int();
    for (int i = 0; i < N; i++)
        sum = sum + a[i];
    return sum / N;
}
