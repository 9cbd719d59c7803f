int outside(int);
void reach_error(void);

int main(void)
{
  if (outside(3) == 4)
    reach_error();
  return 0;
}
