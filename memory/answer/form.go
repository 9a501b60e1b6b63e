package answer

import (
	"strings"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/pattern"
)

// A form is a kind of answer.
type form struct {
	asks     *pattern.Pattern     // finds the questions for it
	explains map[string]bool      // question words that only ask for this form
	fits     func(string) float64 // how far a sentence has it, at most about 1.4
}

const numberWord = `(?:\d[\d,.]*|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|billion|zero|no more than one|half)`

var (
	measured    = pattern.New(`(?i)\b` + numberWord + `[ -]?(?:bytes?|kb|mb|gb|tb|kib|mib|gib|kilobytes?|megabytes?|gigabytes?|bits?|characters?|digits?|seconds?|minutes?|hours?|days?|weeks?|months?|years?|milliseconds?|ms|s|columns?|rows?|tables?|pages?|lines?|times|connections?|packages?|files?|people|members|developers|percent|%|blocks?|levels?|entries|items|keys?|arguments?|parameters?|objects?|commits?|votes?|copies)\b|\b` + numberWord + `(?: to |–|-)` + numberWord + `\b`)
	anyNumber   = pattern.New(`(?i)\b` + numberWord + `\b`)
	limitWord   = pattern.New(`(?i)\b(?:maximum|at most|up to|limit(?:ed)?|no more than|cannot exceed|at least|minimum|exactly|no limit|unlimited|must be (?:less|more|greater))\b`)
	isDefault   = pattern.New(`(?i)\bdefaults? (?:value |setting |behaviou?r )?(?:is|are|was|to|of)\b|\bby default\b|\bdefault:|\bdefaults to\b|\(default|\(the default`)
	defaultWord = pattern.New(`(?i)\bdefaults?\b`)
	yearWord    = pattern.New(`\b(?:1[89]|20)\d\d\b`)
	versionWord = pattern.New(`(?i)\bversions? \d|\b\d+\.\d+(?:\.\d+)?\b`)
	decides     = pattern.New(`(?i)\b(?:must|may|can|cannot|only|not|no|never|always|should not|must not|required|allowed|permitted|possible|impossible|supports?|prohibited|forbidden)\b`)
	modalWord   = pattern.New(`(?i)\b(?:should|will|would|is|are|need)\b`)
	denial      = pattern.New(`(?i)\b(?:not|no|cannot|never|without|n't)\b`)
	codeLike    = pattern.New("`[^`]+`|(?m)^\\s*(?:[$#%]|>>>|sudo|apt|git|psql|SELECT|ALTER|CREATE|INSERT|dpkg)\\b|\\s--?[a-z][\\w-]*|\\b\\w+\\(\\)|\\b[a-z]+_[a-z_]+\\b|\\b[A-Z]{4,}(?: [A-Z]{2,})*\\b|/[a-z]+/[\\w./-]+")
	doing       = pattern.New(`(?i)\b(?:use|run|running|set|using|type|enter|add|specify|you can|call|execute|invoke|edit|create|install)\b`)
	toVerb      = pattern.New(`^(?:To|In order to) [a-z]+`)
	pathLike    = pattern.New(`(?:^|[\s“"'(])~?/?(?:[\w.*<>$-]+/)+[\w.*<>$-]*|\b[\w-]+\.(?:conf|cfg|txt|log|sql|list|ini|json|py|html|d|gz|deb|sources|changes|rc)\b|\$[A-Z]+`)
	placed      = pattern.New(`(?i)\b(?:stored|located|found|placed|kept|lives?|installed|written) (?:in|at|under|to|into)\b`)
	placeWord   = pattern.New(`(?i)\b(?:director(?:y|ies)|file|folder|path|section|catalog)\b`)
	identifier  = pattern.New("`[^`]+`|\\b\\w+_\\w+\\b|\\b\\w+\\(\\)|--[a-z][\\w-]+|\\b[A-Z]{3,}\\b|\\b[a-z]+[A-Z]\\w*\\b|\\b\\w+\\.\\w+\\(?")
	because     = pattern.New(`(?i)\b(?:because|since|so that|in order to|the reason|therefore|due to|as a result|otherwise)\b`)
	conditional = pattern.New(`(?i)\b(?:if|when|whenever|after|before|only|until|unless|once|while)\b`)
	listsParts  = pattern.New(`(?i)\b(?:elements|requirements|conditions|parts|criteria|must (?:prove|show|establish|contain|include|have)|requires?|required|consists? of)\b`)
	contrast    = pattern.New(`(?i)\b(?:whereas|while|unlike|but|however|instead|rather than|difference|differs?|in contrast|on the other hand|than|both)\b`)
	code        = pattern.New(`(?m)^(?: {2,}|\t|[$#%>] )|;\s*$`)
)

// plus is a number where a pattern finds something in a sentence, else 0.
func plus(s string, found *pattern.Pattern, add float64) float64 {
	if found.MatchString(s) {
		return add
	}
	return 0
}

// bySign returns a form that a sentence has if a pattern matches it.
func bySign(asks, sign *pattern.Pattern, value float64) form {
	return form{asks: asks, fits: func(s string) float64 { return plus(s, sign, value) }}
}

// colon is a number where a sentence ends with a colon, else 0.
func colon(s string, add float64) float64 {
	if strings.HasSuffix(strings.TrimSpace(s), ":") {
		return add
	}
	return 0
}

var number = form{
	asks:     pattern.New(`(?i)\bhow (?:many|much|long|large|big|old|often|far|high|deep|fast)\b|\b(?:max(?:imum)?|min(?:imum)?|limit|number of|size of)\b`),
	explains: text.Set(`long large big old most least maximum max minimum min limit limits number size`),
	fits: func(s string) float64 {
		v := plus(s, measured, 1)
		if v == 0 {
			v = plus(s, anyNumber, .5)
		}
		return v + plus(s, limitWord, .3)
	},
}

var byDefault = form{
	asks:     defaultWord,
	explains: text.Set(`default defaults value values`),
	fits: func(s string) float64 {
		v := plus(s, isDefault, 1)
		if v == 0 {
			v = plus(s, defaultWord, .6)
		}
		if v > 0 {
			v += plus(s, anyNumber, .4)
		}
		return v
	},
}

var date = form{
	asks:     pattern.New(`(?i)\b(?:what year|which year|what date|when (?:was|were|did|has)|since when|(?:which|what|in which) version)\b`),
	explains: text.Set(`year date version release released`),
	fits:     func(s string) float64 { return max(plus(s, yearWord, 1), plus(s, versionWord, .7)) },
}

var yesOrNo = form{
	asks: pattern.New(`(?i)^\s*(?:so |and |but |or |ok,? |if .{3,80}, )?(?:is|are|was|were|do|does|did|can|could|may|must|should|shall|will|would|has|have|am)\b`),
	fits: func(s string) float64 {
		v := plus(s, decides, .8)
		if v == 0 {
			v = plus(s, modalWord, .3)
		}
		return v + plus(s, denial, .3)
	},
}

var howto = form{
	asks: pattern.New(`(?i)\bhow (?:do|does|can|could|would|should|to|would)\b|\bhow'?d\b|\b(?:command|way|steps?) (?:to|for)\b|\bwhat (?:command|should i do)\b`),
	fits: func(s string) float64 {
		v := plus(s, code, .7)
		if v == 0 {
			v = plus(s, codeLike, .6)
		}
		if v > 0 && doing.MatchString(s) {
			v = .9
		}
		return v + colon(s, .3) + plus(s, toVerb, .3)
	},
}

var where = form{
	asks:     pattern.New(`(?i)\bwhere\b|\b(?:which|what) (?:file|directory|folder|path)\b|\blocation of\b`),
	explains: text.Set(`file place located location stored`),
	fits: func(s string) float64 {
		v := max(plus(s, pathLike, 1), plus(s, placed, .6))
		if v > 0 {
			v += plus(s, placeWord, .2)
		}
		return v
	},
}

var elements = form{
	asks:     pattern.New(`(?i)\b(?:elements|requirements|conditions|criteria|grounds)\b|\bmust (?:\w+ ){1,4}(?:prove|show|establish|contain|include|have|do)\b|\bwhat (?:is|are) (?:needed|required|necessary)\b|\bwhat does (?:\w+ ){1,4}(?:require|need)\b`),
	explains: text.Set(`prove win claim element elements requirement requirements rule`),
	fits:     func(s string) float64 { return plus(s, listsParts, .8) + colon(s, .4) },
}

var difference = form{
	asks:     pattern.New(`(?i)\bdifference|\bdiffer\b|\bcompared? (?:to|with)\b|\bversus\b|\bvs\b`),
	explains: text.Set(`difference differ between`),
	fits:     func(s string) float64 { return plus(s, contrast, .4) },
}

var (
	which = bySign(pattern.New(`(?i)\b(?:which|what) (?:\w+ )?(?:command|option|parameter|setting|function|program|tool|package|field|flag|variable|file|module|method|class|type|statement|keyword|view|table|exception|error)\b`), identifier, .8)
	why   = bySign(pattern.New(`(?i)\bwhy\b|\bwhat (?:is|are) the reasons?\b`), because, 1)
	when  = bySign(pattern.New(`(?i)\bwhen (?:do|does|is|are|should|must|can|will)\b|\bunder (?:which|what)\b`), conditional, .8)
)

// formsOf are the forms that a question asks for.
func formsOf(asks string) (out []*form) {
	for _, f := range []*form{&number, &byDefault, &date, &yesOrNo, &howto, &where, &which, &why, &when, &elements, &difference} {
		if f.asks.MatchString(asks) {
			out = append(out, f)
		}
	}
	return out
}

// fits reports how well the shown sentence has a form that the question asks for; 0 for a question
// without a form.
func (q *question) fits(shown string, s *sentence) float64 {
	best := 0.0
	for _, f := range q.forms {
		v := f.fits(shown)
		if f == &difference && q.held(s) >= 2 {
			v++
		}
		best = max(best, v)
	}
	return best
}
