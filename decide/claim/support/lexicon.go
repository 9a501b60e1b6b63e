package support

import (
	"strings"

	"example.com/assay/memory/text"
)

// Words that reverse a statement, and words of more, less, all and doubt. Words of more and less
// are stems, matched as the beginning of a word.
var (
	negators = text.Set(`not no never none neither nor without cannot hardly rarely failed fails fail refused
		denied lack lacks lacking absence unable unlikely nothing nobody`)
	ups = strings.Fields(`increas higher high rais elev enhanc promot activ stimul induc upregul improv more greater
		larger stronger accumul gain rise rose grow grew caus lead led trigger faster longer benefici
		overexpress facilit support exceed better strengthen acceler augment potenti aggrav worsen`)
	downs = strings.Fields(`decreas lower low reduc inhibit suppress block downregul impair less fewer smaller weaker
		diminish loss lose lost declin drop fell fall prevent attenu deplet slower shorter defici protect
		worse weaken limit delay abolish abrog restrain allevi amelior mitig`)
	quantifiers = text.Set(`all every only first never most always none no any sole largest smallest highest best
		worst last entire each both`)
	hedges = text.Set(`may might could can possibly possible potentially potential suggest suggests suggested likely
		perhaps probably appears appear seem seems estimated about around approximately nearly almost
		reportedly allegedly expected plans plan`)
	nulls = text.Set(`similar similarly independent independently instead contrary contrast whereas however unlike
		unaffected unchanged`)
	causes = text.Set(`cause causes caused causing lead leads led leading result results resulted because due induce
		induces induced prevent prevents prevented`)
	correlations = text.Set(`associated association associations correlated correlates correlation linked link links
		related`)
	supposes = text.Set(`if whether unless suppose supposed assume assumed believe believed claim claims claimed
		alleged false wrong untrue myth`)
	joiners = text.Set(`and but which who while with whose where after before when`)
)

// negates reports whether a word reverses its neighbours.
func negates(low string) bool { return negators[low] || strings.HasSuffix(low, "n't") }

// direction returns 1 for a word of more, −1 for a word of less, 0 for any other.
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
