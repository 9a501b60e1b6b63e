package state

// A Respelling says that a word of a question, which the corpus does not have, was
// searched for as another, which it has. With Also, both were searched for: the corpus
// says that one is the abbreviation of the other. Both are in lower case.
type Respelling struct {
	Word string `json:"word"`
	As   string `json:"as"`
	Also bool   `json:"also,omitempty"`
}
