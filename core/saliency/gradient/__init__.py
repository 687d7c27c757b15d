"""How what is explained changes with the embeddings, or with the attention weights."""
