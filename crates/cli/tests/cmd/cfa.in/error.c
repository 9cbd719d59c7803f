void reach_error(void);

int check(int x)
{
  if (x == 42)
    reach_error();
  return 1 / (x - 1);
}

int main(void)
{
  int big = 2147483647;
  big = big + 1;
  return check(big);
}
