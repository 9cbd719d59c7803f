// model: probe
int probe(int *n) { *n = 2; return 1; }
