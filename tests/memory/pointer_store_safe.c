// gnomon: true
// A constant index through a pointer is inside of the array.
int main(void)
{
    int buf[4] = {0, 0, 0, 0};
    int *p = buf;
    p[3] = 3;
    return buf[3] - 3;
}
