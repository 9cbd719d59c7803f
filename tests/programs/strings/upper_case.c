// gnomon: true
// Conversion to upper case leaves no lower-case letter in the buffer.
extern char __VERIFIER_nondet_char(void);
extern void reach_error(void);

int main(void)
{
    char text[4];
    for (int i = 0; i < 3; i++)
        text[i] = __VERIFIER_nondet_char();
    text[3] = 0;
    for (int i = 0; text[i]; i++)
        if (text[i] >= 'a' && text[i] <= 'z')
            text[i] -= 'a' - 'A';
    for (char *p = text; *p; p++)
        if (*p >= 'a' && *p <= 'z')
            reach_error();
    return 0;
}
