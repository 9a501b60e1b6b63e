package text

import (
	"fmt"
	"slices"
	"strings"
)

// Key returns the form in which metadata names are compared: lower case, spaces as "_", trimmed.
func Key(name string) string {
	return strings.Join(strings.Fields(strings.ToLower(name)), "_")
}

// Nearest returns the known name that a mistyped one was probably meant to be, or "" if none is
// close: within two changes and less than half of the word. Of equally near names it is the first.
func Nearest(name string, known []string) string {
	best, at := "", 3
	for _, k := range known {
		if d := Edits(name, k); d < at && 2*d < max(len(name), len(k)) {
			best, at = k, d
		}
	}
	return best
}

// DidYouMean returns the hint that follows an unknown name, `; did you mean "Y"?`, or
// "" when no known name is near.
func DidYouMean(name string, known []string) string {
	if best := Nearest(name, known); best != "" {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	return ""
}

// Edits is the least number of characters to insert, remove, replace or swap with their neighbour
// to turn a into b (optimal string alignment).
func Edits(a, b string) int {
	x, y := []rune(a), []rune(b)
	rows := make([][]int, len(x)+1)
	for i := range rows {
		rows[i] = make([]int, len(y)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(x); i++ {
		for j := 1; j <= len(y); j++ {
			change := 1
			if x[i-1] == y[j-1] {
				change = 0
			}
			rows[i][j] = slices.Min([]int{rows[i-1][j] + 1, rows[i][j-1] + 1, rows[i-1][j-1] + change})
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(x)][len(y)]
}
