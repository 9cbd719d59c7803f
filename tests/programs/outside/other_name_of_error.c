// gnomon: false
// An alias of the error function.
void reach_error(void) {}
void fail(void) __attribute__((alias("reach_error")));

int main(void)
{
    fail();
    return 0;
}
