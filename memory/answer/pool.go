package answer

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/pattern"
	"example.com/assay/state"
)

// A Source is a passage with the headings above it, as a search returned it.
type Source struct {
	Title   string // of its document
	Section string // the headings, the last one nearest, parted by " > "
	Text    string
	Blocks  []state.Block   // the typed parts of Text, in order
	Doc     string          // names its document; sources of one document share it
	Date    string          // from when its document holds, as 2025-01-31 or 2025; "" for unknown
	Near    []float64       // how near each of its Readings is to the question in meaning, 1 for the same; nil where nobody knows
	Read    map[int]float64 // log-odds that a reading answers, by its place; of few
}

// A sentence is a sentence, row or field of a source with the headings above it.
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
	part       *state.Block    // the part it is or belongs to; nil for running text
	extra      map[string]bool // stems of the labels of its block
	whole      bool            // it is a block that is read alone: a row, a field
	joined     bool            // it belongs to an answer of several paragraphs
	means      float64         // how near it is to the question in meaning; 0 where nobody knows
	place      int             // of it among the readings of its source
}

// A heading is a line above others, with its stems.
type heading struct {
	text       string
	stems      []string
	start, end int // bytes of the source; −1 when it is not in it
}

// above contains the title and headings above all sentences of a source.
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
	words     []map[string]bool  // stems of each source's sentences
	heads     []map[string]bool  // stems of what stands above each source, and of the labels in it
	documents map[string]float64 // share of the question in each document
	same      []otherForm        // other names that the sources give to the question's names
	reader
}

// longestHead is the greatest length of a headword line in bytes.
const longestHead = 100

func newPool(r reader, sources []Source, same []otherForm) *pool {
	p := &pool{sources: sources, df: map[string]int{}, words: make([]map[string]bool, len(sources)), heads: make([]map[string]bool, len(sources)), documents: map[string]float64{}, same: same, reader: r}
	for i, src := range sources {
		p.add(i, src)
	}
	p.guess()
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
		for stem := range s.extra {
			count(stem)
		}
	}
	return p
}

// guess gives sentences without a similarity the mean of the others, so that they are neither
// preferred nor disadvantaged.
func (p *pool) guess() {
	sum, n := 0.0, 0
	for _, s := range p.sentences {
		if p.sources[s.source].Near != nil {
			sum += s.means
			n++
		}
	}
	for i := range p.sentences {
		if s := &p.sentences[i]; n > 0 && p.sources[s.source].Near == nil {
			s.means = sum / float64(n)
		}
	}
}

func (p *pool) add(index int, src Source) {
	up := p.aboveOf(src)
	p.words[index], p.heads[index] = map[string]bool{}, map[string]bool{}
	for _, list := range [][]string{up.title.stems, up.last.stems, up.other} {
		for _, stem := range list {
			p.heads[index][stem] = true
		}
	}
	at, from := 0, len(p.sentences)
	var head *heading
	for i := range src.Blocks {
		b := &src.Blocks[i]
		if b.Start < at || b.End > len(src.Text) || b.Start > b.End {
			continue
		}
		head = p.addText(index, src.Text, at, b.Start, up, head)
		head = p.addBlock(index, src.Text, b, up, head)
		at = b.End
	}
	p.addText(index, src.Text, at, len(src.Text), up, head)
	own := p.sentences[from:]
	for i := range own {
		own[i].place = i
		if len(own) == len(src.Near) {
			own[i].means = src.Near[i]
		}
	}
}

// addText adds the sentences of running text and returns the headword that applies to the text
// after it.
func (p *pool) addText(index int, in string, from, to int, up *above, head *heading) *heading {
	in = in[:to]
	spans := text.Sentences(in[from:])
	for i := range spans {
		spans[i].Start, spans[i].End = spans[i].Start+from, spans[i].End+from
	}
	block := p.blocks
	for n, span := range spans {
		body := in[span.Start:span.End]
		breaks := n == 0 || strings.Contains(in[spans[n-1].End:span.Start], "\n")
		if breaks {
			block = p.blocks
			p.blocks++
		}
		if breaks && isHead(in, spans, n) {
			head = &heading{text: body, stems: p.stems(body), start: span.Start, end: span.End}
			continue
		}
		p.append(sentence{source: index, start: span.Start, end: span.End, block: block, first: breaks, head: head, above: up}, body)
	}
	return head
}

// addBlock adds a typed part: whole if it can be read alone, otherwise its sentences. It returns
// the headword that applies to the text after it.
func (p *pool) addBlock(index int, in string, b *state.Block, up *above, head *heading) *heading {
	if b.Kind == state.BlockHeading {
		body := strings.Trim(in[b.Start:b.End], "#*_ ")
		return &heading{text: body, stems: p.stems(body), start: b.Start, end: b.End}
	}
	s := sentence{source: index, above: up, part: b, extra: map[string]bool{}, block: p.blocks, first: true}
	p.blocks++
	label := b.Label
	if label == "" {
		label = b.Under
	} else {
		s.know(p.stems(b.Under))
	}
	switch {
	case b.Label == "" && head != nil && head.start >= 0 && strings.HasSuffix(text.Letters(b.Under), text.Letters(head.text)):
		s.know(p.stems(b.Under))
		s.head = head
	case label != "":
		s.head = &heading{text: label, stems: p.stems(label), start: -1}
		if b.Kind == state.BlockField || b.Kind == state.BlockDefinition {
			s.head.start = b.Start
		}
	case b.Kind != state.BlockRow && b.Kind != state.BlockField:
		s.head = head
	}
	for _, c := range b.Cells {
		s.know(p.stems(c.Header))
		s.know(p.stems(c.Text))
	}
	whole := b.Kind == state.BlockRow || b.Kind == state.BlockField || b.Kind == state.BlockCode
	spans := []text.Span{{Start: b.Start, End: b.End}}
	if !whole || b.End-b.Start > longest {
		spans = text.Sentences(in[b.Start:b.End])
		for i := range spans {
			spans[i].Start, spans[i].End = spans[i].Start+b.Start, spans[i].End+b.Start
		}
	}
	s.whole = whole
	for j := len(p.sentences) - 1; j >= 0 && (b.Kind == state.BlockAnswer || strings.HasSuffix(b.Label, "?")); j-- {
		before := &p.sentences[j]
		if before.source != index || before.label() != b.Label {
			break
		}
		before.joined, s.joined = true, true
	}
	for stem := range s.extra {
		p.heads[index][stem] = true
	}
	if s.head != nil {
		for _, stem := range s.head.stems {
			p.heads[index][stem] = true
		}
	}
	for i, span := range spans {
		s.start, s.end, s.first = span.Start, span.End, i == 0
		p.append(s, in[span.Start:span.End])
	}
	return head
}

func (s *sentence) know(stems []string) {
	for _, stem := range stems {
		s.extra[stem] = true
	}
}

// append adds a sentence with its words.
func (p *pool) append(s sentence, body string) {
	s.text, s.words = body, map[string]int{}
	for _, stem := range p.stems(body) {
		s.words[stem]++
		s.size++
		p.words[s.source][stem] = true
	}
	if s.size == 0 {
		return
	}
	if s.part != nil && s.part.Kind == state.BlockRow { // "A" and "d" name rows
		for _, c := range s.part.Cells {
			if t := strings.ToLower(strings.TrimSpace(p.sources[s.source].Text[c.Start:c.End])); len(t) == 1 && s.words[t] == 0 {
				s.words[t]++
				s.size++
				p.words[s.source][t] = true
			}
		}
	}
	p.sentences = append(p.sentences, s)
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

// plainTitle returns a title without the part after a dash or a bracket.
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

// isHead reports whether a span is a headword line: short, without a full stop, and followed by a
// sentence.
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
		return n > 0 && !announced // its text is in the next passage
	}
	next := in[spans[n+1].Start:spans[n+1].End]
	if announced && (exampleSign.MatchString(line) || !strings.HasSuffix(next, ".") || strings.Count(below, "\n") > 1) {
		return false // an example, a command
	}
	r, _ := utf8.DecodeRuneInString(next)
	return (unicode.IsUpper(r) || unicode.IsDigit(r) || strings.Count(below, "\n") == 1 && strings.HasSuffix(next, ".") && len(strings.Fields(line)) <= 4 && !exampleSign.MatchString(line)) && len(strings.Fields(next)) >= 4 && !strings.HasPrefix(next, "|")
}

// exampleSign matches characters that occur in examples and commands but not in names.
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
