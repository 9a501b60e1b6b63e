package index

import (
	"strings"

	"example.com/assay/memory/text"
	"example.com/assay/state"
)

// metaTerms are the terms that a passage's metadata is found by.
func metaTerms(p state.Passage) []string {
	var out []string
	for key, values := range p.Metadata {
		key = text.Key(key)
		if key == "" || strings.IndexByte(key, 0) >= 0 {
			continue
		}
		for value := range strings.Lines(values) {
			if value = strings.TrimSpace(value); value != "" {
				out = append(out, metaTerm(key, value))
			}
		}
	}
	return distinct(out)
}

func metaTerm(key, value string) string { return key + "\x00" + value }
