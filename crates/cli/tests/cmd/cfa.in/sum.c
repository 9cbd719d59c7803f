int printf(const char *, ...);
int putchar(int);
int __VERIFIER_nondet_int(void);

int main(int argc, char **argv)
{
  int n = __VERIFIER_nondet_int();
  int sum = 0;
  for (int i = 1; i <= n; i++)
    sum += i;
  printf("the sum to %d is %d", n, sum);
  putchar(10);
  return sum;
}
