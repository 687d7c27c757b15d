"""The load report: what happened when a model's weights were read (`report`), said in sentences (`lines`), and what to
do about each of them (`remedies`); the modules are imported by their own names."""
