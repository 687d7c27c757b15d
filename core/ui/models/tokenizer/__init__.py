"""Which tokenizer reads texts for a model that came without one."""
