package causal

import (
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/assay/memory/text"
)

// measures are words of variables that only say how much of a thing there is or how one meets it.
var measures = stems("risk risks rate rates level levels amount amounts number numbers use uses exposure consumption intake frequency increase increased " +
	"increases decrease decreased decreases reduction reduced change changes higher lower high low more less daily regular long short incidence prevalence")

// names reports whether a quote names a variable: by one of its words or a word of the same family,
// by its initials, or by another wording. Words in measures count only if there are no others.
func names(quote, variable string, near []string) bool {
	said := stems(quote)
	for _, wording := range near {
		if !slices.ContainsFunc(text.Terms(wording, text.DocStops), func(stem string) bool { return !said[stem] }) {
			return true
		}
	}
	all := text.Terms(variable, text.DocStops)
	telling := slices.DeleteFunc(slices.Clone(all), func(stem string) bool { return measures[stem] || frames[stem] })
	if len(telling) == 0 {
		telling = all
	}
	if len(telling) == 0 {
		telling = text.Terms(variable, nil)
	}
	for _, stem := range telling {
		if kin(said, stem) {
			return true
		}
	}
	initials := ""
	for _, t := range text.Tokens(variable) {
		if !text.DocStops.Has(t.Text) {
			r, _ := utf8.DecodeRuneInString(t.Text)
			initials += string(r)
		}
	}
	return len(initials) > 1 && slices.ContainsFunc(text.Tokens(quote), func(t text.Token) bool {
		return strings.TrimSuffix(t.Text, "s") == initials
	})
}

// kin reports whether a set contains a stem, or one with the same beginning.
func kin(set map[string]bool, stem string) bool {
	if set[stem] {
		return true
	}
	for s := range set {
		if len(s) >= kinship && len(stem) >= kinship && s[:kinship] == stem[:kinship] {
			return true
		}
	}
	return false
}
