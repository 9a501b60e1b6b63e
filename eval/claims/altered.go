package claims

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"example.com/assay/eval/task"
	"example.com/assay/memory/text"
	"example.com/assay/memory/text/pattern"
	"example.com/assay/memory/text/wordnet"
	"example.com/assay/state"
)

// An alteration is a kind of edit that turns a true claim into one that its
// evidence does not support.
type alteration struct {
	Name string
	edit func(*editor) []edit
}

// An edit replaces bytes of a claim.
type edit struct {
	from, to int
	by       string
}

// alterations lists the kinds, each an edit of one place, sorted by name.
func alterations() []alteration {
	return []alteration{
		{"direction", (*editor).antonyms},
		{"exchange", (*editor).exchanges},
		{"gender", func(e *editor) []edit { return e.swaps(genders) }},
		{"modality", func(e *editor) []edit { return e.swaps(modalities) }},
		{"month", (*editor).months},
		{"name", (*editor).names},
		{"negation", (*editor).negations},
		{"number", (*editor).numbers},
		{"quantifier", func(e *editor) []edit { return e.swaps(quantities) }},
		{"subject", (*editor).subjects},
		{"unit", func(e *editor) []edit { return e.swaps(units) }},
	}
}

// Altered returns the fully supported items of a dataset, each followed by its alterations: one of
// each kind that fits the claim. Their ID is the item's ID, a plus sign and the kind. Equal
// datasets give equal results. Items with other labels are left out.
func Altered(d *Dataset) *Dataset {
	out := *d
	out.Items = nil
	e := &editor{all: namesOf(d)}
	for _, item := range d.Items {
		if item.Gold != Supported {
			continue
		}
		out.Items = append(out.Items, item)
		e.subjectsOf(item.Evidence)
		for _, kind := range alterations() {
			e.read(item.ID+kind.Name, item.Text)
			edits := slices.DeleteFunc(kind.edit(e), func(x edit) bool { return strings.EqualFold(item.Text[x.from:x.to], x.by) })
			if len(edits) == 0 {
				continue
			}
			x := edits[e.pick(len(edits))]
			altered := item
			altered.ID, altered.Gold = item.ID+alterationMark+kind.Name, Unsupported
			altered.Text = item.Text[:x.from] + x.by + item.Text[x.to:]
			out.Items = append(out.Items, altered)
		}
	}
	out.Hash = fmt.Sprintf("%s altered", d.Hash)
	return &out
}

// alterationMark separates an item's ID from the kind of its alteration.
const alterationMark = "+"

// AlterationOf takes the id of an altered item apart.
func AlterationOf(id string) (original, kind string, ok bool) { return strings.Cut(id, alterationMark) }

// A Resistance counts the altered claims that a judge refuses, among those whose original
// it accepts.
type Resistance struct {
	Originals int        `json:"originals"` // fully supported claims
	Accepted  int        `json:"accepted"`  // of these
	InDoubt   int        `json:"in_doubt"`  // of those accepted
	Kinds     []Resisted `json:"kinds"`
}

// Resisted has the results for one kind of alteration.
type Resisted struct {
	Kind    string `json:"kind"`
	N       int    `json:"n"` // altered claims whose original is accepted
	Refused int    `json:"refused"`
	Doubted int    `json:"in_doubt"` // accepted with a doubt
}

// Resist counts the verdicts on altered claims, kinds sorted by name. ok is false without
// altered claims.
func Resist(outcomes []Outcome) (r Resistance, ok bool) {
	accepted := map[string]bool{}
	for _, o := range outcomes {
		if _, _, altered := AlterationOf(o.Item.ID); altered || o.Item.Gold != Supported {
			continue
		}
		r.Originals++
		if o.Verdict.Status == state.Supported {
			r.Accepted++
			accepted[o.Item.ID] = true
			if len(o.Verdict.Doubts) > 0 {
				r.InDoubt++
			}
		}
	}
	at := map[string]int{}
	for _, o := range outcomes {
		original, kind, altered := AlterationOf(o.Item.ID)
		if !altered {
			continue
		}
		ok = true
		if !accepted[original] {
			continue
		}
		if _, seen := at[kind]; !seen {
			at[kind] = len(r.Kinds)
			r.Kinds = append(r.Kinds, Resisted{Kind: kind})
		}
		row := &r.Kinds[at[kind]]
		row.N++
		switch {
		case o.Verdict.Status != state.Supported:
			row.Refused++
		case len(o.Verdict.Doubts) > 0:
			row.Doubted++
		}
	}
	slices.SortFunc(r.Kinds, func(a, b Resisted) int { return strings.Compare(a.Kind, b.Kind) })
	return r, ok
}

// refusals returns, by kind, the share of altered claims that are refused, and that are refused or
// in doubt, among those whose original is accepted; nothing without altered claims.
func refusals(outcomes []Outcome) []task.Figure[Outcome] {
	r, _ := Resist(outcomes)
	accepted := map[string]bool{}
	for _, o := range outcomes {
		accepted[o.Item.ID] = o.Verdict.Status == state.Supported
	}
	var out []task.Figure[Outcome]
	for _, k := range r.Kinds {
		share := func(name string, counts func(state.Verdict) bool) {
			out = append(out, task.Figure[Outcome]{Name: name + k.Kind, Of: func(o Outcome) (task.Fraction, bool) {
				original, kind, altered := AlterationOf(o.Item.ID)
				if !altered || kind != k.Kind || !accepted[original] {
					return task.Fraction{}, true // it is drawn and does not count
				}
				return task.Yes(counts(o.Verdict)), true
			}})
		}
		refused := func(v state.Verdict) bool { return v.Status != state.Supported }
		share("refused_", refused)
		share("refused_or_doubt_", func(v state.Verdict) bool { return refused(v) || len(v.Doubts) > 0 })
	}
	return out
}

// An editor finds the places of a claim that can be edited.
type editor struct {
	claim string
	words []span // runs of letters
	seed  uint64
	all   []string // names of the dataset, sorted
	doing []string // subjects of the evidence's sentences, in their order
}

type span struct{ from, to int }

var wordPattern = pattern.New(`[A-Za-z]+`)

func (e *editor) read(seed, claim string) {
	h := fnv.New64a()
	h.Write([]byte(seed))
	e.claim, e.seed, e.words = claim, h.Sum64(), nil
	for _, at := range wordPattern.FindAllStringIndex(claim, -1) {
		e.words = append(e.words, span{at[0], at[1]})
	}
}

// pick draws one of n.
func (e *editor) pick(n int) int {
	e.seed = e.seed*6364136223846793005 + 1442695040888963407
	return int((e.seed >> 33) % uint64(n))
}

func (e *editor) word(i int) string {
	if i < 0 || i >= len(e.words) {
		return ""
	}
	return e.claim[e.words[i].from:e.words[i].to]
}

func (e *editor) replace(i int, by string) edit {
	if w := e.word(i); w[0] >= 'A' && w[0] <= 'Z' {
		by = strings.ToUpper(by[:1]) + by[1:]
	}
	return edit{e.words[i].from, e.words[i].to, by}
}

// A table maps words to their replacements.
func table(pairs string) map[string]string {
	out := map[string]string{}
	list := strings.Fields(pairs)
	for i := 0; i+1 < len(list); i += 2 {
		out[list[i]] = strings.ReplaceAll(list[i+1], "_", " ")
		if _, taken := out[list[i+1]]; !taken {
			out[list[i+1]] = strings.ReplaceAll(list[i], "_", " ")
		}
	}
	return out
}

var (
	genders = table(`he she his her him her himself herself son daughter father mother brother sister husband wife king queen
		actor actress uncle aunt nephew niece boy girl man woman men women male female boys girls sons daughters`)
	modalities = table(`must may should must can must may will could will might will shall may would may`)
	quantities = table(`all some every some most few each some only also many few several all always sometimes both neither
		first only entire partial majority minority often rarely usually never`)
	units = table(`percent points million billion thousand million miles kilometres kilometers miles feet metres meters feet days weeks
		weeks months months years hours minutes dollars euros pounds kilograms kilograms tonnes km miles`)
)

func (e *editor) swaps(by map[string]string) []edit {
	var out []edit
	for i := range e.words {
		if i > 0 && e.word(i) != strings.ToLower(e.word(i)) {
			continue // a name, such as May
		}
		if to, ok := by[strings.ToLower(e.word(i))]; ok {
			out = append(out, e.replace(i, to))
		}
	}
	return out
}

// antonyms are WordNet's direct ones, with the inflection carried over.
func (e *editor) antonyms() []edit {
	var out []edit
	for i := range e.words {
		w := e.word(i)
		if w != strings.ToLower(w) || genders[w] != "" || quantities[w] != "" {
			continue
		}
		for _, a := range wordnet.Antonyms(w) {
			out = append(out, e.replace(i, a))
		}
		for _, ending := range []string{"ed", "d", "s", "ing", "er", "est"} {
			base, ok := strings.CutSuffix(w, ending)
			if !ok {
				continue
			}
			for _, a := range wordnet.Antonyms(base) {
				if ending == "ed" && strings.HasSuffix(a, "e") {
					a = strings.TrimSuffix(a, "e")
				}
				out = append(out, e.replace(i, a+ending))
			}
		}
	}
	return out
}

var auxiliaries = pattern.New(`\b(?:is|are|was|were|has|had|have|will|can|could|did|does|would|should|must|may)\b`)

// negations insert not or never, or negate a verb in the past tense.
func (e *editor) negations() []edit {
	if pattern.New(`(?i)\b(?:not|never|no|none|nor|neither|cannot)\b|n't`).MatchString(e.claim) {
		return nil
	}
	var out []edit
	for _, at := range auxiliaries.FindAllStringIndex(e.claim, 1) {
		out = append(out, edit{at[1], at[1], " not"}, edit{at[1], at[1], " never"})
	}
	for i := range e.words {
		w := e.word(i)
		base := pastOf(w)
		if base == "" || i > 0 && auxiliaries.MatchString(e.word(i-1)) {
			continue
		}
		if i > 0 && strings.ToUpper(e.word(i - 1)[:1]) == e.word(i - 1)[:1] { // "Smith won"
			out = append(out, e.replace(i, "did not "+base), e.replace(i, "failed to "+base))
		}
	}
	return out
}

// pastOf returns the base form of a verb in the past tense.
func pastOf(w string) string {
	bases := wordnet.Bases(w)
	if w != strings.ToLower(w) || slices.Contains(bases, w) && !strings.HasSuffix(w, "ed") {
		return ""
	}
	for _, ending := range []string{"s", "ing", "er", "est", "eed"} {
		if strings.HasSuffix(w, ending) {
			return ""
		}
	}
	for _, base := range bases {
		if base != w {
			return base
		}
	}
	return ""
}

var monthNames = strings.Fields("January February March April June July August September October November December")

func (e *editor) months() []edit {
	var out []edit
	for i := range e.words {
		if at := slices.Index(monthNames, e.word(i)); at >= 0 {
			out = append(out, e.replace(i, monthNames[(at+1+e.pick(len(monthNames)-1))%len(monthNames)]))
		}
	}
	return out
}

var numberPattern = pattern.New(`\b\d+\b`)

func (e *editor) numbers() []edit {
	var out []edit
	for _, at := range numberPattern.FindAllStringIndex(e.claim, -1) {
		var n int
		if _, err := fmt.Sscan(e.claim[at[0]:at[1]], &n); err == nil {
			out = append(out, edit{at[0], at[1], fmt.Sprint(n + []int{1, 2, 3, 10}[e.pick(4)])})
		}
	}
	return out
}

var namePattern = pattern.New(`\b[A-Z][a-z]{2,}(?: [A-Z][a-z]{2,})+\b`)

// namesOf returns the names in the claims of a dataset, sorted.
func namesOf(d *Dataset) []string {
	var out []string
	for _, item := range d.Items {
		out = append(out, namePattern.FindAllString(item.Text, -1)...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (e *editor) names() []edit {
	var out []edit
	for _, at := range namePattern.FindAllStringIndex(e.claim, -1) {
		if other := e.all[e.pick(len(e.all))]; at[0] > 0 && !strings.Contains(e.claim, other) {
			out = append(out, edit{at[0], at[1], other})
		}
	}
	return out
}

var thingPattern = pattern.New(`\b[A-Z][A-Za-z]+(?: [A-Z][A-Za-z]+)*\b`)

// exchanges are the first two names with a verb between them.
func (e *editor) exchanges() []edit {
	a, b, ok := e.pair()
	if !ok {
		return nil
	}
	return []edit{{a.from, b.to, e.claim[b.from:b.to] + e.claim[a.to:b.from] + e.claim[a.from:a.to]}}
}

// named reports whether a capitalised phrase names something: a word that the
// dictionary has may only be capitalised because it begins the sentence.
func (e *editor) named(s span) bool {
	w := e.claim[s.from:s.to]
	lower := strings.ToLower(w)
	_, small := text.DocStops[lower]
	return !small && !slices.Contains(monthNames, w) && (s.from > 0 || len(wordnet.Bases(lower)) == 0)
}

func (e *editor) pair() (first, second span, ok bool) {
	all := thingPattern.FindAllStringIndex(e.claim, -1)
	for i := 0; i+1 < len(all); i++ {
		a, b := span{all[i][0], all[i][1]}, span{all[i+1][0], all[i+1][1]}
		if !e.named(a) || !e.named(b) {
			continue
		}
		between := strings.Fields(e.claim[a.to:b.from])
		if len(between) > 0 && len(between) < 7 && slices.ContainsFunc(between, func(w string) bool {
			return pastOf(w) != "" || strings.HasSuffix(w, "s") && wordnet.Known(strings.TrimSuffix(w, "s"))
		}) {
			return a, b, true
		}
	}
	return first, second, false
}
