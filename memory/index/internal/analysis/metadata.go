package analysis

import (
	"strings"

	"example.com/assay/memory/text"
	"example.com/assay/state"
)

// Metadata are the terms that a passage's metadata is found by.
func Metadata(p state.Passage) []string {
	var out []string
	for key, values := range p.Metadata {
		key = text.Key(key)
		if key == "" || strings.IndexByte(key, 0) >= 0 {
			continue
		}
		for value := range strings.Lines(values) {
			if value = strings.TrimSpace(value); value != "" {
				out = append(out, MetaTerm(key, value))
			}
		}
	}
	return Distinct(out)
}

func MetaTerm(key, value string) string { return key + "\x00" + value }
