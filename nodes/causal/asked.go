package causal

import (
	"strings"

	"example.com/assay/memory/text/pattern"
)

var asksOfEdge = pattern.New(`(?i)^does the (?:evidence|corpus|literature) (?:really |actually |truly )?(?:show|say|prove|support) that (.+?) (?:causes?|leads? to|results? in|brings? about|triggers?|increases?|reduces?|prevents?|raises?|lowers?) (.+?)\s*\?*$`)

// AskedIn reads the variables from a question of the form "Does the evidence show that A causes B?"
func AskedIn(line string) (cause, effect string, ok bool) {
	m := asksOfEdge.FindStringSubmatch(strings.TrimSpace(line))
	if m == nil {
		return "", "", false
	}
	return m[1], m[2], true
}
