"""Pages: what an author writes, references, cells, numerals, formulas; no site generator in it."""
