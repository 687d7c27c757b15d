"""The only package that knows Streamlit: frame, sidebar, runs with progress, figure cards, mounted components."""
