package state

// A Respelling records that a word of a question that the corpus does not have was replaced in the
// search by one that it has. With Also, both were searched for: one is the abbreviation of the
// other in the corpus. Both are in lower case.
type Respelling struct {
	Word string `json:"word"`
	As   string `json:"as"`
	Also bool   `json:"also,omitempty"`
}
