// gnomon: unknown
// A function that nothing is known of gets the error function, and may call it.
extern void reach_error(void);
extern void unknown(void (*)(void));

int main(void)
{
    unknown(reach_error);
    return 0;
}
