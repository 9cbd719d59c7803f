// gnomon: unknown
// Compilers find the size of an object, or do not.
extern void reach_error(void);

int main(void)
{
    char text[8];
    if (__builtin_object_size(text, 0) == 8)
        reach_error();
    return 0;
}
