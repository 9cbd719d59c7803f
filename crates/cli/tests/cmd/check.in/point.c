int __VERIFIER_nondet_int(void);
void reach_error(void);

struct point { int x; float y; };

static int twice(int n)
{
  int result = n + n;
  return result;
}

int main(void)
{
  struct point p;
  p.y = 0.5f;
  p.x = twice(__VERIFIER_nondet_int());
  if (p.x == 14)
    reach_error();
  return 0;
}
