int __VERIFIER_nondet_int(void);
void reach_error(void);

int main(void)
{
  int x = __VERIFIER_nondet_int();
  if (3 * x + 4 == 40)
    reach_error();
  return 0;
}
