// gnomon: true
// A simplified serial driver: a read is served at once from the buffer, or is kept pending and finished by the interrupt.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int buffered;
static int read_pending;
static int reads_started, reads_finished;

static void finish_read(void)
{
    reads_finished++;
    read_pending = 0;
}

static void start_read(void)
{
    if (read_pending)
        return;
    if (reads_started >= 1000000)
        return;
    reads_started++;
    if (buffered > 0) {
        buffered--;
        finish_read();
    } else {
        read_pending = 1;
    }
}

static void interrupt(void)
{
    if (read_pending)
        finish_read();
    else if (buffered < 16)
        buffered++;
}

int main(void)
{
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int())
            start_read();
        else
            interrupt();
        if (reads_started != reads_finished + read_pending)
            reach_error();
        if (buffered < 0 || buffered > 16)
            reach_error();
    }
    return 0;
}
