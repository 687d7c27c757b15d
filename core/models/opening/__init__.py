"""What `core.models.loading` does step by step, a module each; they are imported by their own names.

place           where a name leads: the catalogue, a folder, a file, the hub's cache
planning        what is going to be opened, settled before a weight is read
weights, shards, old_torch          which tensors the weight files hold
configs, config_trust               which network a config.json describes, and whether it may be built here
classes, heads                      which class of a family it is
reading_weights, quantising         the network with its weights, rounded where asked
encoding, tokenizer_files, tokenizer_opening, tokenizer_trust       its tokenizer, and whether it may be opened here
probing         the first short texts, which settle how its attention is seen
prepared        what was done to the files before
"""
