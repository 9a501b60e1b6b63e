package support

import "strings"

// Words that turn a statement round, words of more, of less, of all and of
// doubt. Those of more and less are stems, matched as a word's beginning.
var (
	negators = set(`not no never none neither nor without cannot hardly rarely failed fails fail refused
		denied lack lacks lacking absence unable unlikely nothing nobody`)
	ups = list(`increas higher high rais elev enhanc promot activ stimul induc upregul improv more greater
		larger stronger accumul gain rise rose grow grew caus lead led trigger faster longer benefici
		overexpress facilit support exceed better strengthen acceler augment potenti aggrav worsen`)
	downs = list(`decreas lower low reduc inhibit suppress block downregul impair less fewer smaller weaker
		diminish loss lose lost declin drop fell fall prevent attenu deplet slower shorter defici protect
		worse weaken limit delay abolish abrog restrain allevi amelior mitig`)
	quantifiers = set(`all every only first never most always none no any sole largest smallest highest best
		worst last entire each both`)
	hedges = set(`may might could can possibly possible potentially potential suggest suggests suggested likely
		perhaps probably appears appear seem seems estimated about around approximately nearly almost
		reportedly allegedly expected plans plan`)
	nulls = set(`similar similarly independent independently instead contrary contrast whereas however unlike
		unaffected unchanged`)
	causes = set(`cause causes caused causing lead leads led leading result results resulted because due induce
		induces induced prevent prevents prevented`)
	correlations = set(`associated association associations correlated correlates correlation linked link links
		related`)
	supposes = set(`if whether unless suppose supposed assume assumed believe believed claim claims claimed
		alleged false wrong untrue myth`)
	joiners = set(`and but which who while with whose where after before when`)
)

func list(words string) []string { return strings.Fields(words) }

func set(words string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}

// negates reports whether a word turns round what it stands with.
func negates(low string) bool { return negators[low] || strings.HasSuffix(low, "n't") }

// direction is 1 for a word of more, −1 for one of less, 0 for any other.
func direction(stem string) int {
	for _, p := range ups {
		if strings.HasPrefix(stem, p) {
			return 1
		}
	}
	for _, p := range downs {
		if strings.HasPrefix(stem, p) {
			return -1
		}
	}
	return 0
}
