// gnomon: unknown memory
// A function that is only declared gives a number, which is taken for a pointer: nobody knows where it leads.
extern int any_number(void);

int main(void)
{
    int *p = (int *)(long)any_number();
    *p = 1;
    return 0;
}
