package cli

import (
	"fmt"

	"example.com/assay/memory/text"
)

// Nearest is [text.Nearest].
func Nearest(name string, known []string) string { return text.Nearest(name, known) }

// DidYouMean is the hint that follows "unknown X": "; did you mean "Y"?" or
// nothing.
func DidYouMean(name string, known []string) string {
	if best := Nearest(name, known); best != "" {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	return ""
}
