// gnomon: false
// A constant index through a pointer is far outside of the array.
int main(void)
{
    int buf[4] = {0, 0, 0, 0};
    int *p = buf;
    p[77] = 3;
    return 0;
}
