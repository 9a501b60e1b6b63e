package wordnet

// Hypernyms gives the tests a column that the package only counts.
func Hypernyms(word string) []string { return column(word, hypernyms) }
