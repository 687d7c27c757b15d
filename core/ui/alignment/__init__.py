"""What the Alignment page is made of: its controls, its runs, one model beside the other, and what it shows of them.

`wish` says what is asked for, `running` answers it, `looking` says how the answer is read, `layout` draws it.
"""
