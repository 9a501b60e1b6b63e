package main

import (
	"fmt"

	"example.com/assay/memory/text"
)

// nearest is [text.Nearest].
func nearest(name string, known []string) string { return text.Nearest(name, known) }

// didYouMean is the hint that follows "unknown X": "; did you mean "Y"?" or
// nothing.
func didYouMean(name string, known []string) string {
	if best := nearest(name, known); best != "" {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	return ""
}
