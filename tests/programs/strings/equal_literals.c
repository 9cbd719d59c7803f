// gnomon: false
// Equal literals are one object, as compilers have it.
extern void reach_error(void);

int main(void)
{
    const char *one = "text", *other = "text";
    if (one == other)
        reach_error();
    return 0;
}
