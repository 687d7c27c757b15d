"""What a model's attention is made of and what it rests on.

`order`   one text in two orders, with positions and without
`terms`   what DeBERTa's scores are the sum of
"""
