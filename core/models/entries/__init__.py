"""The catalogue's entries, one file each; a file that defines `ENTRY` is listed."""

DEFAULT = "all-MiniLM-L6-v2"
