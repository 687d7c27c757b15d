"""Adapters of PEFT: a folder with what was trained alone (`adapter`), what its config says (`settings`), and how it is
added to the base in memory (`adding`); the modules are imported by their own names."""
