// gnomon: false
// Two switches of the mode in a row leave the parser in quoted text without a quote.
// inputs: 34 34 92 0
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_error(void);

enum mode { PLAIN, QUOTED, ESCAPED };

int main(void)
{
    enum mode mode = PLAIN, back = PLAIN;
    int quotes = 0;
    for (int i = 0; i < 15; i++) {
        int c = __VERIFIER_nondet_int();
        switch (mode) {
        case PLAIN:
            if (c == '"') {
                quotes++;
                mode = QUOTED;
                back = QUOTED;
            } else if (c == '\\') {
                mode = ESCAPED;
            }
            break;
        case QUOTED:
            if (c == '"') {
                quotes--;
                mode = PLAIN;
            } else if (c == '\\') {
                mode = ESCAPED;
            }
            break;
        case ESCAPED:
            mode = back;
            break;
        }
        if (mode == QUOTED && quotes == 0)
            __VERIFIER_error();
    }
    return 0;
}
