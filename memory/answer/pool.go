package answer

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/pattern"
)

// A Source is a passage with the headings above it, as a search returned it.
type Source struct {
	Title   string // of its document
	Section string // the headings, the last one nearest, parted by " > "
	Text    string
}

// A sentence of a source, with the headings and headword above it.
type sentence struct {
	source     int
	start, end int
	text       string
	words      map[string]int // by stem
	size       int            // words
	block      int            // sentences of a block follow each other without a break
	first      bool           // of its block
	head       *heading       // headword above it, nil without one
	above      *above
	row        bool // of a table
}

// A heading is a line above others, with its stems.
type heading struct {
	text       string
	stems      []string
	start, end int // bytes of the source; −1 when it is not in it
}

// above is what stands above all sentences of a source.
type above struct {
	title heading // of the document
	last  heading // the nearest heading
	other []string
}

type pool struct {
	sources   []Source
	sentences []sentence
	df        map[string]int // blocks by stem, with their headwords
	blocks    int
	words     []map[string]bool // stems of each source's sentences
	same      []otherForm       // what sources name as the question does not
}

// longestHead is how long a line may be that is a headword, in bytes.
const longestHead = 100

func newPool(sources []Source, same []otherForm) *pool {
	p := &pool{sources: sources, df: map[string]int{}, words: make([]map[string]bool, len(sources)), same: same}
	for i, src := range sources {
		p.add(i, src)
	}
	seen := map[string]int{}
	for i := range p.sentences {
		s := &p.sentences[i]
		count := func(stem string) {
			if seen[stem] != s.block+1 {
				seen[stem] = s.block + 1
				p.df[stem]++
			}
		}
		for stem := range s.words {
			count(stem)
		}
		if s.head != nil {
			for _, stem := range s.head.stems {
				count(stem)
			}
		}
	}
	return p
}

func (p *pool) add(index int, src Source) {
	up := p.aboveOf(src)
	p.words[index] = map[string]bool{}
	spans := text.Sentences(src.Text)
	var head *heading
	block := p.blocks
	for n, span := range spans {
		body := src.Text[span.Start:span.End]
		breaks := n == 0 || strings.Contains(src.Text[spans[n-1].End:span.Start], "\n")
		if breaks {
			block = p.blocks
			p.blocks++
		}
		if breaks && isHead(src.Text, spans, n) {
			head = &heading{text: body, stems: p.stems(body), start: span.Start, end: span.End}
			continue
		}
		s := sentence{source: index, start: span.Start, end: span.End, text: body, words: map[string]int{}, block: block, first: breaks, head: head, above: up, row: strings.HasPrefix(body, "|")}
		for _, stem := range p.stems(body) {
			s.words[stem]++
			s.size++
			p.words[index][stem] = true
		}
		p.sentences = append(p.sentences, s)
	}
}

func (p *pool) aboveOf(src Source) *above {
	parts := strings.Split(src.Section, " > ")
	last := unnumbered(parts[len(parts)-1])
	up := &above{title: heading{text: src.Title, stems: p.stems(plainTitle(src.Title)), start: -1}, last: heading{text: last, stems: p.stems(last), start: -1}}
	for _, part := range parts[:len(parts)-1] {
		up.other = append(up.other, p.stems(unnumbered(part))...)
	}
	return up
}

// plainTitle is a title without what follows a dash or a bracket.
func plainTitle(s string) string {
	for _, cut := range []string{" — ", " - ", " – ", "("} {
		if at := strings.Index(s, cut); at > 2 {
			s = s[:at]
		}
	}
	return unnumbered(s)
}

// unnumbered is a heading without its number: "20.3.1. Connection Settings".
func unnumbered(s string) string {
	s = strings.TrimSpace(s)
	if rest, ok := strings.CutPrefix(s, "Chapter "); ok {
		s = rest
	}
	trimmed := strings.TrimLeft(s, "0123456789.§ ")
	if trimmed == "" {
		return s
	}
	return strings.TrimRight(trimmed, "¶# ")
}

// isHead reports whether a span is a line that names what follows: short, without
// an end of its own, and with a sentence below it.
func isHead(in string, spans []text.Span, n int) bool {
	line := in[spans[n].Start:spans[n].End]
	line = strings.TrimSuffix(line, "::") // of AsciiDoc
	if !headlike(line) || n+1 < len(spans) && !strings.Contains(in[spans[n].End:spans[n+1].Start], "\n") {
		return false
	}
	below := ""
	if n+1 < len(spans) {
		below = in[spans[n].End:spans[n+1].Start]
	}
	announced := n > 0 && announces(in[spans[n-1].Start:spans[n-1].End])
	if n+1 == len(spans) {
		return n > 0 && !announced // of what the next passage holds
	}
	next := in[spans[n+1].Start:spans[n+1].End]
	if announced && (exampleSign.MatchString(line) || !strings.HasSuffix(next, ".") || strings.Count(below, "\n") > 1) {
		return false // an example, a command
	}
	r, _ := utf8.DecodeRuneInString(next)
	return (unicode.IsUpper(r) || unicode.IsDigit(r) || strings.Count(below, "\n") == 1 && strings.HasSuffix(next, ".") && len(strings.Fields(line)) <= 4 && !exampleSign.MatchString(line)) && len(strings.Fields(next)) >= 4 && !strings.HasPrefix(next, "|")
}

// exampleSign finds what stands in examples and commands, not in the names of things.
var exampleSign = pattern.New(`[=;{}<>$|\\]`)

// announces reports whether the text below continues a sentence: it ends with a colon,
// or is long and does not end at all.
func announces(s string) bool {
	s = strings.TrimRight(s, "*_ ")
	r, _ := utf8.DecodeLastRuneInString(s)
	return r == ':' || (unicode.IsLetter(r) || unicode.IsDigit(r)) && len(strings.Fields(s)) >= 5 && !strings.HasPrefix(s, "|") && !strings.HasPrefix(s, "- ")
}

func headlike(line string) bool {
	if len(line) > longestHead || strings.Contains(line, "\n") || strings.HasPrefix(line, "|") || strings.HasPrefix(line, "#") {
		return false
	}
	r, _ := utf8.DecodeLastRuneInString(line)
	return !strings.ContainsRune(".!?:;,", r) && len(strings.Fields(line)) <= 12
}
