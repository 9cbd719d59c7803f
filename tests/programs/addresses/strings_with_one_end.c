// gnomon: unknown
// A string may be the end of another one (C17 6.4.5p7): linkers have one object for both.
extern void reach_error(void);

int main(void)
{
    const char *longer = "xabc", *shorter = "abc";
    if (longer + 1 == shorter)
        reach_error();
    return 0;
}
