int __VERIFIER_nondet_int(void);
void reach_error(void);

int main(void)
{
  int n = __VERIFIER_nondet_int();
  int i = 0, j = 0;
  while (i < n) {
    i++;
    j++;
  }
  if (i != j)
    reach_error();
  return 0;
}
