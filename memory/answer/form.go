package answer

import (
	"strings"

	"example.com/assay/memory/text/pattern"
)

// forms are the kinds of answer that a question asks for.
type forms struct {
	number, deflt, date, yesno, howto, where, which, why, when, difference, elements bool
}

var (
	asksNumber     = pattern.New(`(?i)\bhow (?:many|much|long|large|big|old|often|far|high|deep|fast)\b|\b(?:max(?:imum)?|min(?:imum)?|limit|number of|size of)\b`)
	asksDefault    = pattern.New(`(?i)\bdefaults?\b`)
	asksDate       = pattern.New(`(?i)\b(?:what year|which year|what date|when (?:was|were|did|has)|since when|(?:which|what|in which) version)\b`)
	asksYesNo      = pattern.New(`(?i)^\s*(?:so |and |but |or |ok,? |if .{3,80}, )?(?:is|are|was|were|do|does|did|can|could|may|must|should|shall|will|would|has|have|am)\b`)
	asksHow        = pattern.New(`(?i)\bhow (?:do|does|can|could|would|should|to|would)\b|\bhow'?d\b|\b(?:command|way|steps?) (?:to|for)\b|\bwhat (?:command|should i do)\b`)
	asksWhere      = pattern.New(`(?i)\bwhere\b|\b(?:which|what) (?:file|directory|folder|path)\b|\blocation of\b`)
	asksWhich      = pattern.New(`(?i)\b(?:which|what) (?:\w+ )?(?:command|option|parameter|setting|function|program|tool|package|field|flag|variable|file|module|method|class|type|statement|keyword|view|table|exception|error)\b`)
	asksWhy        = pattern.New(`(?i)\bwhy\b|\bwhat (?:is|are) the reasons?\b`)
	asksWhen       = pattern.New(`(?i)\bwhen (?:do|does|is|are|should|must|can|will)\b|\bunder (?:which|what)\b`)
	asksElements   = pattern.New(`(?i)\b(?:elements|requirements|conditions|criteria|grounds)\b|\bmust (?:\w+ ){1,4}(?:prove|show|establish|contain|include|have|do)\b|\bwhat (?:is|are) (?:needed|required|necessary)\b|\bwhat does (?:\w+ ){1,4}(?:require|need)\b`)
	asksDifference = pattern.New(`(?i)\bdifference|\bdiffer\b|\bcompared? (?:to|with)\b|\bversus\b|\bvs\b`)
)

func formsOf(asks string) forms {
	return forms{
		number: asksNumber.MatchString(asks), deflt: asksDefault.MatchString(asks), date: asksDate.MatchString(asks),
		yesno: asksYesNo.MatchString(asks), howto: asksHow.MatchString(asks), where: asksWhere.MatchString(asks),
		which: asksWhich.MatchString(asks), why: asksWhy.MatchString(asks), when: asksWhen.MatchString(asks), difference: asksDifference.MatchString(asks), elements: asksElements.MatchString(asks),
	}
}

// explain reports whether a form stands for a word of asking.
func (f forms) explain(w string) bool {
	switch w {
	case "default", "defaults", "value", "values":
		return f.deflt
	case "long", "large", "big", "old", "most", "least", "maximum", "max", "minimum", "min", "limit", "limits", "number", "size":
		return f.number
	case "prove", "win", "claim", "element", "elements", "requirement", "requirements", "rule":
		return f.elements
	case "difference", "differ", "between":
		return f.difference
	case "year", "date", "version", "release", "released":
		return f.date
	case "file", "place", "located", "location", "stored":
		return f.where
	}
	return false
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

// fits is how far a sentence has the form that a question asks for, at most about
// 1.4; 0 for a question of no form.
func (f forms) fits(s string, terms func(string) int) float64 {
	best := 0.0
	set := func(on bool, value float64) {
		if on {
			best = max(best, value)
		}
	}
	plus := func(re *pattern.Pattern, add float64) float64 {
		if re.MatchString(s) {
			return add
		}
		return 0
	}
	if f.number {
		v := 0.0
		switch {
		case measured.MatchString(s):
			v = 1
		case anyNumber.MatchString(s):
			v = .5
		}
		set(true, v+plus(limitWord, .3))
	}
	if f.deflt {
		v := plus(isDefault, 1)
		if v == 0 {
			v = plus(defaultWord, .6)
		}
		if v > 0 {
			v += plus(anyNumber, .4)
		}
		set(true, v)
	}
	if f.date {
		set(yearWord.MatchString(s), 1)
		set(versionWord.MatchString(s), .7)
	}
	if f.yesno {
		v := plus(decides, .8)
		if v == 0 {
			v = plus(modalWord, .3)
		}
		set(true, v+plus(denial, .3))
	}
	if f.howto {
		v := 0.0
		n := len(codeLike.FindAllStringIndex(s, 3))
		switch {
		case code.MatchString(s):
			v = .7
		case n > 0:
			v = .6
		}
		if v > 0 && doing.MatchString(s) {
			v = max(v, .9)
		}
		if strings.HasSuffix(strings.TrimSpace(s), ":") {
			v += .3
		}
		set(true, v+plus(toVerb, .3))
	}
	if f.where {
		set(pathLike.MatchString(s), 1+plus(placeWord, .2))
		set(placed.MatchString(s), .6+plus(placeWord, .2))
	}
	if f.elements {
		v := plus(listsParts, .8)
		if strings.HasSuffix(strings.TrimSpace(s), ":") {
			v += .4
		}
		set(true, v)
	}
	set(f.which && identifier.MatchString(s), .8)
	set(f.why && because.MatchString(s), 1)
	set(f.when && conditional.MatchString(s), .8)
	if f.difference {
		v := plus(contrast, .4)
		if terms(s) >= 2 {
			v++
		}
		set(true, v)
	}
	return best
}
