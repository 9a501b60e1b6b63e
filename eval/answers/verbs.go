package answers

import (
	"slices"
	"strings"
)

// verbs are those that headings of instructions begin with, in their base form.
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

// gerunds leads from "creating" to "create".
var gerunds = func() map[string]string {
	out := make(map[string]string, len(verbs))
	for _, v := range verbs {
		out[gerund(v)] = v
	}
	return out
}()

// gerund is the ing form of a base form: create creating, get getting, tie tying.
func gerund(verb string) string {
	n := len(verb)
	vowel := func(i int) bool { return i >= 0 && i < n && strings.IndexByte("aeiou", verb[i]) >= 0 }
	switch {
	case strings.HasSuffix(verb, "ie"):
		return verb[:n-2] + "ying"
	case strings.HasSuffix(verb, "e") && !strings.HasSuffix(verb, "ee"):
		return verb[:n-1] + "ing"
	case doubled[verb], n <= 5 && !vowel(n-1) && vowel(n-2) && !vowel(n-3) && syllables(verb) == 1 && strings.IndexByte("wxy", verb[n-1]) < 0:
		return verb + verb[n-1:] + "ing"
	}
	return verb + "ing"
}

// doubled are verbs of several syllables whose last consonant is doubled.
var doubled = map[string]bool{"begin": true, "commit": true, "submit": true, "refer": true, "transfer": true, "reset": true, "unzip": true, "program": true, "embed": true, "emit": true}

// syllables counts the groups of vowels.
func syllables(word string) int {
	n, in := 0, false
	for _, r := range word {
		is := strings.ContainsRune("aeiouy", r)
		if is && !in {
			n++
		}
		in = is
	}
	return n
}

// imperative is the verb in its base form with which a heading begins, and its other
// words; false when it begins with none. A base form counts only before an article or
// the like, since "list of files" and "order of precedence" ask for nothing to be done.
func imperative(heading string) (verb, rest string, ok bool) {
	first, rest, found := strings.Cut(heading, " ")
	first = strings.ToLower(first)
	if !found {
		return "", "", false
	}
	second, _, _ := strings.Cut(rest, " ")
	if base, is := gerunds[first]; is {
		return base, rest, second != "and" && second != "or" // "locking and concurrency" is two topics
	}
	return first, rest, slices.Contains(verbs, first) && slices.Contains([]string{"a", "an", "the", "your", "all", "several", "multiple"}, second)
}
