// gnomon: true
// There is a name of the program, and neither argv nor envp is null.
extern void reach_error(void);

int main(int argc, char **argv, char **envp)
{
    if (argc < 1 || !argv || !envp)
        reach_error();
    return 0;
}
