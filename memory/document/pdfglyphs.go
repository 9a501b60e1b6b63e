package document

import (
	"math"
	"strings"
	"unicode"

	"github.com/ledongthuc/pdf"
)

// A matrix is the six numbers a b c d e f of a PDF transformation.
type matrix [6]float64

var identity = matrix{1, 0, 0, 1, 0, 0}

// times returns the transformation that applies m first, then n.
func (m matrix) times(n matrix) matrix {
	return matrix{
		m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3],
		m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5],
	}
}

// A pdfFont decodes strings and knows how far its glyphs advance.
type pdfFont struct {
	enc     pdf.TextEncoding // nil if the file does not define its codes
	wide    bool             // two bytes a code
	widths  map[int]float64
	normal  float64           // width of a code not listed, in 1/1000 em
	known   *[95]int16        // widths of the standard font that it is, nil for another
	decoded map[string]string // codes decoded by enc, which searches its tables from the start each time
}

func (f *pdfFont) decode(code string) string {
	if f.enc == nil {
		return ""
	}
	text, ok := f.decoded[code]
	if !ok {
		text = cleanGlyph(f.enc.Decode(code))
		f.decoded[code] = text
	}
	return text
}

// estimate is the width of a glyph whose font gives none: about the average of the standard fonts.
const estimate = 500

func loadFont(f pdf.Font) *pdfFont {
	out := &pdfFont{enc: f.Encoder(), widths: map[int]float64{}, normal: estimate, decoded: map[string]string{}}
	descendants := f.V.Key("DescendantFonts")
	if descendants.Kind() != pdf.Array || descendants.Len() == 0 {
		first := f.FirstChar()
		for i, w := range f.Widths() {
			out.widths[first+i] = w
		}
		if w := f.V.Key("FontDescriptor").Key("MissingWidth").Float64(); w > 0 {
			out.normal = w
		}
		if name := f.V.Key("BaseFont").Name(); len(out.widths) == 0 {
			if out.known = standardWidths(name); strings.Contains(strings.ToLower(name), "courier") {
				out.normal = 600
			}
		}
		return out
	}
	out.wide, out.normal = true, 1000
	switch f.V.Key("Encoding").Name() {
	case "UniGB-UCS2-H":
	case "Identity-H":
		if f.V.Key("ToUnicode").Kind() != pdf.Stream {
			out.enc = nil // codes are glyph numbers, which the library would decode as letters
		}
	default:
		out.enc = nil
	}
	cid := descendants.Index(0)
	if w := cid.Key("DW").Float64(); w > 0 {
		out.normal = w
	}
	// W has entries "c [w1 w2 …]" and "first last w".
	w := cid.Key("W")
	for i := 0; i+1 < w.Len(); {
		c := int(w.Index(i).Int64())
		if list := w.Index(i + 1); list.Kind() == pdf.Array {
			for j := range list.Len() {
				out.widths[c+j] = list.Index(j).Float64()
			}
			i += 2
			continue
		}
		if i+2 >= w.Len() {
			break
		}
		last := min(int(w.Index(i+1).Int64()), c+1<<16)
		for ; c <= last; c++ {
			out.widths[c] = w.Index(i + 2).Float64()
		}
		i += 3
	}
	return out
}

// glyphs interprets a page's content and collects its words, each with its place: many
// files draw words, and some draw letters, without ever drawing a space.
type glyphs struct {
	stop  func() error // says when time is up; asked between operators
	bytes int
	words []pdfWord
	blank bool    // a space was drawn after the last word
	end   float64 // where the last glyph ended along its line
	place bool    // words have their letters
}

// A pdfWord is a run of adjacent glyphs. Its position is measured along and across its own
// direction.
type pdfWord struct {
	text     []byte
	dir      [2]float64 // unit vector along the line
	x0, x1   float64    // along it
	base     float64    // height of the base line across it
	size, em float64    // in points: of the letters and of the em
	blank    bool       // a space was drawn before it
	leftward bool       // drawn from right to left, so that its letters are in reading order
	letters  []pdfLetter
}

// maxPDFWords bounds the words of a page. Further text is appended to the last one.
const maxPDFWords = 1 << 19

// A graphicsState is the state that q saves and Q restores.
type graphicsState struct {
	ctm                                       matrix
	font                                      *pdfFont
	size, charSpace, wordSpace, scale, leadng float64
	rise                                      float64
}

// maxGlyphText bounds the text of one page in bytes.
const maxGlyphText = 32 << 20

// run interprets one content stream; forms that it draws are run in turn.
func (g *glyphs) run(stream, resources pdf.Value, ctm matrix, depth int) {
	if depth > 8 || stream.Kind() == pdf.Null {
		return
	}
	state := graphicsState{ctm: ctm, scale: 1}
	fonts := map[string]*pdfFont{}
	var saved []graphicsState
	tm, line := identity, identity
	move := func(x, y float64) {
		line = matrix{1, 0, 0, 1, x, y}.times(line)
		tm = line
	}
	pdf.Interpret(stream, func(stack *pdf.Stack, op string) {
		if err := g.stop(); err != nil {
			panic(stopped{err})
		}
		args := make([]pdf.Value, stack.Len())
		for i := len(args) - 1; i >= 0; i-- {
			args[i] = stack.Pop()
		}
		num := func(i int) float64 {
			if i < len(args) {
				return args[i].Float64()
			}
			return 0
		}
		six := func() matrix { return matrix{num(0), num(1), num(2), num(3), num(4), num(5)} }
		switch op {
		case "q":
			saved = append(saved, state)
		case "Q":
			if n := len(saved); n > 0 {
				state, saved = saved[n-1], saved[:n-1]
			}
		case "cm":
			state.ctm = six().times(state.ctm)
		case "BT":
			tm, line = identity, identity
		case "Tf":
			if len(args) == 2 {
				name := args[0].Name()
				if fonts[name] == nil {
					fonts[name] = loadFont(pdf.Font{V: resources.Key("Font").Key(name)})
				}
				state.font, state.size = fonts[name], num(1)
			}
		case "Tc":
			state.charSpace = num(0)
		case "Tw":
			state.wordSpace = num(0)
		case "Tz":
			state.scale = num(0) / 100
		case "TL":
			state.leadng = num(0)
		case "Ts":
			state.rise = num(0)
		case "Td":
			move(num(0), num(1))
		case "TD":
			state.leadng = -num(1)
			move(num(0), num(1))
		case "Tm":
			tm = six()
			line = tm
		case "T*":
			move(0, -state.leadng)
		case "Tj":
			if len(args) > 0 {
				g.show(&state, &tm, args[0].RawString())
			}
		case "'", "\"":
			if op == "\"" {
				state.wordSpace, state.charSpace = num(0), num(1)
			}
			move(0, -state.leadng)
			if len(args) > 0 {
				g.show(&state, &tm, args[len(args)-1].RawString())
			}
		case "TJ":
			if len(args) == 0 {
				return
			}
			for i := range args[0].Len() {
				v := args[0].Index(i)
				if v.Kind() == pdf.String {
					g.show(&state, &tm, v.RawString())
					continue
				}
				tm = matrix{1, 0, 0, 1, -v.Float64() / 1000 * state.size * state.scale, 0}.times(tm)
			}
		case "Do":
			if len(args) > 0 {
				g.form(resources.Key("XObject").Key(args[0].Name()), resources, state.ctm, depth)
			}
		}
	})
}

// form runs a form XObject with its own resources or the page's.
func (g *glyphs) form(x, resources pdf.Value, ctm matrix, depth int) {
	if x.Key("Subtype").Name() != "Form" {
		return
	}
	if m := x.Key("Matrix"); m.Len() == 6 {
		var own matrix
		for i := range own {
			own[i] = m.Index(i).Float64()
		}
		ctm = own.times(ctm)
	}
	if own := x.Key("Resources"); own.Kind() == pdf.Dict {
		resources = own
	}
	g.run(x, resources, ctm, depth+1)
}

// show writes one string, glyph by glyph, and advances the text matrix.
func (g *glyphs) show(s *graphicsState, tm *matrix, raw string) {
	if s.font == nil {
		return
	}
	step := 1
	if s.font.wide {
		step = 2
	}
	for i := 0; i < len(raw); i += step {
		code := raw[i:min(i+step, len(raw))]
		n := 0
		for _, b := range []byte(code) {
			n = n<<8 | int(b)
		}
		text := s.font.decode(code)
		width, ok := s.font.widths[n]
		if !ok {
			width = s.font.standard(text)
		}
		trm := matrix{s.size * s.scale, 0, 0, s.size, 0, s.rise}.times(*tm).times(s.ctm)
		// Letters set apart are still one word.
		spread := 0.0
		if s.size != 0 {
			spread = max(0, s.charSpace/s.size)
		}
		g.put(text, trm, width/1000+spread)
		advance := width / 1000 * s.size
		if advance += s.charSpace; step == 1 && code == " " {
			advance += s.wordSpace
		}
		*tm = matrix{1, 0, 0, 1, advance * s.scale, 0}.times(*tm)
	}
}

// put adds the text of one glyph, width em wide, to the last word, or begins another if its
// distance from the last glyph or its size requires it.
func (g *glyphs) put(text string, trm matrix, width float64) {
	em := math.Hypot(trm[0], trm[1])
	if em == 0 || math.IsNaN(em) || math.IsInf(em, 0) || text == "" || g.bytes > maxGlyphText {
		return
	}
	dir := [2]float64{trm[0] / em, trm[1] / em}
	along := trm[4]*dir[0] + trm[5]*dir[1]
	across := trm[5]*dir[0] - trm[4]*dir[1]
	size := math.Hypot(trm[2], trm[3])
	if size == 0 {
		size = em
	}
	end := along + width*em
	if strings.TrimSpace(text) == "" {
		g.blank, g.end = true, end
		return
	}
	g.bytes += len(text)
	var letters []pdfLetter
	if g.place {
		letters = lettersOf(text, trm, width)
	}
	if n := len(g.words); n > 0 {
		w := &g.words[n-1]
		gap := along - g.end
		beside := !g.blank && dir[0]*w.dir[0]+dir[1]*w.dir[1] > .99 && math.Abs(across-w.base) < .08*size && math.Abs(size-w.size) < .1*size
		switch {
		case beside && gap > -.5*em && gap <= .16*em:
			w.text, w.x1, g.end = append(w.text, text...), max(w.x1, end), end
			w.letters = append(w.letters, letters...)
			return
		case beside && isRightToLeft(text) && math.Abs(end-w.x0) <= .16*em:
			w.text, w.x0, w.leftward = append(w.text, text...), along, true
			w.letters = append(w.letters, letters...)
			return
		case n == maxPDFWords:
			w.text = append(append(w.text, ' '), text...)
			w.letters = append(w.letters, letters...)
			return
		}
	}
	g.words = append(g.words, pdfWord{text: []byte(text), dir: dir, x0: along, x1: end, base: across, size: size, em: em, blank: g.blank, letters: letters})
	g.blank, g.end = false, end
}

// ligatures are the presentation forms that fonts use for common letter pairs.
var ligatures = strings.NewReplacer("ﬀ", "ff", "ﬁ", "fi", "ﬂ", "fl", "ﬃ", "ffi", "ﬄ", "ffl", "ﬅ", "st", "ﬆ", "st")

// cleanGlyph removes controls, the private use area and the replacement character, which are not
// text. A soft hyphen stays: at the end of a line it marks a broken word.
func cleanGlyph(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\u00a0' || r == '\t' || r == '\n' || r == '\r':
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Co, r), r == unicode.ReplacementChar:
			return -1
		}
		return r
	}, s)
	return ligatures.Replace(s)
}
