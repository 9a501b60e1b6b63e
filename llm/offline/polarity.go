package offline

import (
	"strings"

	"example.com/assay/memory/text"
)

// Words that say how a dispute ends, seen from the party who asserts
// something, and words that turn them round.
var (
	winWords = wordSet(`yes recover recovers recovered prevail prevails win wins succeed succeeds liable
		liability guilty convicted admissible admitted valid enforceable entitled granted grant upheld
		committed commits sue sued responsible allowed permitted constitutional`)
	lossWords = wordSet(`no fail fails failed loses lose barred dismissed dismiss denied deny inadmissible invalid
		unenforceable excluded acquitted void unconstitutional privileged excused immune protected overruled`)
	negators = wordSet(`not no never cannot neither nor without isn't doesn't didn't don't won't can't
		wasn't shouldn't hardly unlikely nothing nobody unless`)
)

// polarity is 1 when a text says that the asserting party wins, −1 when it
// loses, 0 when it says neither or both. A negator up to three words before
// an outcome word turns it round; "No" and "Yes" at the start decide alone.
func polarity(s string) int {
	tokens := text.Tokens(s)
	sum := 0
	for i, t := range tokens {
		value := 0
		switch {
		case t.Text == "no" || t.Text == "yes":
			if i > 0 {
				continue // "no liability" is counted at "liability"
			}
			if t.Text == "no" {
				return -1
			}
			return 1
		case winWords[t.Text]:
			value = 1
		case lossWords[t.Text]:
			value = -1
		default:
			continue
		}
		for j := max(0, i-3); j < i; j++ {
			if negators[tokens[j].Text] && !strings.ContainsAny(s[tokens[j].End:t.Start], ",;:.") {
				value = -value
				break
			}
		}
		sum += value
	}
	switch {
	case sum > 0:
		return 1
	case sum < 0:
		return -1
	}
	return 0
}
