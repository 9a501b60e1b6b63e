package answers

import (
	"slices"
	"strings"

	"example.com/assay/memory/text/wordnet"
)

// verbs are verbs that begin headings of instructions, in their base form.
var verbs = strings.Fields(`access activate add adjust allow analyze apply approve archive arrange ask assemble assign attach
authenticate avoid back begin bind block book build calculate call cancel change charge check choose clean clear clone close
collect combine commit compare compile complete compress compute configure connect contact control convert copy correct count
create customize cut debug declare decode define delete deploy describe destroy detach detect determine diagnose disable discard
discover display dispose divide download draw dump edit embed emit enable encode encrypt end enforce ensure enter erase escape
establish evaluate examine execute exit expand export express extend extract fetch file fill filter find fit fix follow force
format generate get give grant group guard handle help hide identify ignore implement import improve include increase index
initialize insert inspect install integrate interpret invoke iterate join keep label launch learn leave limit link list load
locate lock log look loop maintain make manage map mark match measure merge migrate minimize mix modify monitor mount move name
obtain open optimize order organize overload override package parse pass pay perform pick place plan populate post predict
prepare present preserve prevent print process produce profile program protect prove provide publish pull push put query quit
raise read reboot receive recompile record recover reduce refer refund register release reload remove rename renew repair
replace replay report request reset resolve restart restore restrict resume retrieve return reuse revert review revoke rewrite
roll rotate round run save scan schedule search secure select send separate serve set share shift show shut sign simulate skip
solve sort specify split start stop store submit subscribe supply suspend switch synchronize tag take test throttle tie time
trace track train transfer transform translate treat trigger troubleshoot tune turn type undo uninstall unlock unpack unzip update
upgrade upload use validate verify view visit wait walk wash watch wrap write`)

// ofGerund returns the base form of a word such as "creating"; empty if there is none.
func ofGerund(word string) string {
	stem, ing := strings.CutSuffix(word, "ing")
	for _, base := range append(wordnet.Bases(word), stem, stem+"e") {
		if ing && slices.Contains(verbs, base) {
			return base
		}
	}
	return ""
}

// imperative returns the verb, in its base form, that begins a heading, and the other words; false
// without one. A base form counts only before an article or the like, since "list of files" and
// "order of precedence" are not imperatives.
func imperative(heading string) (verb, rest string, ok bool) {
	first, rest, found := strings.Cut(heading, " ")
	first = strings.ToLower(first)
	if !found {
		return "", "", false
	}
	second, _, _ := strings.Cut(rest, " ")
	if base := ofGerund(first); base != "" {
		return base, rest, second != "and" && second != "or" // "locking and concurrency" is two topics
	}
	return first, rest, slices.Contains(verbs, first) && slices.Contains([]string{"a", "an", "the", "your", "all", "several", "multiple"}, second)
}
