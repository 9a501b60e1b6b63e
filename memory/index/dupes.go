package index

import "example.com/assay/memory/text"

// Shingles returns the runs of five words of s, each followed by a space. A shorter text
// is one run.
func Shingles(s string) map[string]struct{} {
	tokens := text.Tokens(s)
	out := make(map[string]struct{}, len(tokens))
	for i := 0; i == 0 || i+shingle <= len(tokens); i++ {
		var key []byte
		for _, t := range tokens[i:min(i+shingle, len(tokens))] {
			key = append(append(key, t.Text...), ' ')
		}
		out[string(key)] = struct{}{}
	}
	return out
}
