package facts

// How firmly something is said.
type force uint8

const (
	must   force = iota + 1 // must, shall, required to
	should                  // should, advised to
	may                     // may, can, allowed to; also: possible
	might                   // might, could, possibly: possible only
)

// A modal states what must, may or might be.
type modal struct {
	tok     int
	force   force
	heads   []string
	negated bool
}

var modalWords = map[string]force{
	"must": must, "shall": must, "should": should, "ought": should,
	"may": may, "can": may, "cannot": may, "might": might, "could": might,
	"possibly": might, "perhaps": might, "reportedly": might, "allegedly": might, "potentially": might,
}

// modalRoots stand with "to": "is required to".
var modalRoots = map[string]force{
	rootOf("required"): must, rootOf("must"): must, "need": must, rootOf("compelled"): must, rootOf("bound"): must,
	rootOf("advised"): should, rootOf("recommended"): should, rootOf("encouraged"): should, rootOf("expected"): should,
	rootOf("allowed"): may, rootOf("entitled"): may, rootOf("free"): may, rootOf("able"): may,
}

// modals returns the modals of a sentence.
func modals(toks []token, negated []bool) []modal {
	var out []modal
	for i, t := range toks {
		if t.kind != word || t.roles&asModal == 0 {
			continue
		}
		f, ok := modalWords[t.text]
		if ok && t.text == "may" && t.capital && i > 0 {
			continue // the month
		}
		at := i + 1
		if !ok {
			f, ok = modalRoots[t.root]
			if ok && f == must && (t.text == "need" || t.text == "needs") {
				ok = textAt(toks, i+1) == "to"
			} else if ok {
				ok = textAt(toks, i+1) == "to" || being[textAt(toks, i-1)]
			}
		}
		if !ok && (t.text == "has" || t.text == "have" || t.text == "had") && textAt(toks, i+1) == "to" {
			f, ok = must, true
		}
		if !ok {
			continue
		}
		m := modal{tok: i, force: f, negated: negated[i]}
		for j := at; j < len(toks) && j < at+8 && len(m.heads) < 2; j++ {
			if isNegator(toks, j) && len(m.heads) == 0 {
				m.negated = !m.negated
				continue
			}
			if toks[j].clause != t.clause && len(m.heads) > 0 {
				break
			}
			if toks[j].kind == word && toks[j].content {
				m.heads = append(m.heads, toks[j].root)
			}
		}
		for j := i - 1; j >= 0 && j > i-3; j-- {
			m.negated = m.negated != (isNegator(toks, j) && !negated[i])
		}
		if t.text == "cannot" {
			m.negated = true
		}
		if len(m.heads) > 0 || f != may {
			out = append(out, m)
		}
	}
	return out
}

// causing and linking words: the first claim an effect, the second only an association.
var causing = rootSet(`cause lead result produce induce trigger bring due because effect
	prevent increase reduce create provoke improve worsen`)

// provingCause are verbs that claim an effect, with the word that must follow.
var provingCause = map[string]string{"cause": "", "causes": "", "caused": "", "causing": "", "triggers": "", "triggered": "",
	"leads": "to", "lead": "to", "led": "to", "leading": "to", "results": "in", "result": "in", "resulted": "in"}

var linking = rootSet(`associate correlate link relate predict`)
