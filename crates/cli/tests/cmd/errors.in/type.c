struct s { int a; };

int main(void)
{
  struct s v;
  v.b = 1;
  undeclared = 2;
  return v + 1;
}
