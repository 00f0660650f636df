// place kept
