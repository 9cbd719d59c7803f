// gnomon: unknown
// Where objects of the environment lie is open.
extern void reach_error(void);

int main(int argc, char **argv)
{
    (void)argc;
    if ((unsigned long)argv >> 32 == 0)
        reach_error();
    return 0;
}
