package index

import "example.com/assay/state"

// Text is what an embedder and a reranker are shown of a passage: its title,
// the headings above it and its text, a line each.
func Text(p state.Passage) string {
	out := p.Text
	for _, above := range []string{p.Section, p.Title} {
		if above != "" {
			out = above + "\n" + out
		}
	}
	return out
}
