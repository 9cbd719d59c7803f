extern void reach_error(void);

static int count, copy, done;

void reader(void)
{
    count = 0;
    copy = count;
    if (copy != count)
        reach_error();
    done = 1;
}

void writer(void)
{
    if (!done)
        count++;
}
