package document

import (
	"bytes"
	"context"
	"strings"
	"unicode/utf8"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/pattern"
)

// looksLikeTroff reports whether a file is a manual page in troff's language: its first lines,
// comments aside, begin with a request that such pages begin with.
func looksLikeTroff(raw []byte) bool {
	for line := range bytes.Lines(raw[:min(len(raw), 1<<14)]) {
		line = bytes.TrimRight(line, "\r\n")
		switch {
		case len(line) == 0 || bytes.HasPrefix(line, []byte(`.\"`)) || bytes.HasPrefix(line, []byte(`'\"`)) || bytes.Equal(line, []byte(".")):
		case bytes.HasPrefix(line, []byte(".TH ")) || bytes.HasPrefix(line, []byte(".Dd ")) || bytes.HasPrefix(line, []byte(".Dt ")):
			return true
		case line[0] == '.' || line[0] == '\'' || bytes.HasPrefix(line, []byte(`\`)) || line[0] == ' ' || line[0] == '}':
		default:
			if !bytes.Contains(raw[:min(len(raw), 1<<14)], []byte("\n.TH ")) {
				return false
			}
		}
	}
	return false
}

// A troff writes a manual page as paragraphs: headings are the path above them, and a term is above
// its indented description.
type troff struct {
	out      strings.Builder
	d        *Document
	sections outline
	group    int
	start    int // of the paragraph
	indent   string
	term     bool // the next line is a term
	example  bool // lines stay as they are
	skipped  bool // inside a macro's definition
	fresh    bool // nothing is on the line yet
}

func parseTroff(ctx context.Context, d *Document, raw []byte, _ LoadOptions) error {
	if err := checkText(d.Path, raw); err != nil {
		return err
	}
	w := &watch{ended: ctx.Err}
	t := troff{d: d, fresh: true}
	for line := range strings.Lines(string(raw)) {
		w.step()
		t.line(strings.TrimRight(line, "\r\n"))
	}
	t.paragraph()
	d.Text = t.out.String()
	return nil
}

// paragraph ends the open one.
func (t *troff) paragraph() {
	t.d.Blocks = appendBlock(t.d.Blocks, t.out.String(), t.start, t.out.Len(), Block{Group: t.group, Section: t.sections.String(), ByLine: t.example})
	if t.out.Len() > t.start {
		t.out.WriteString("\n\n")
	}
	t.start, t.fresh = t.out.Len(), true
}

func (t *troff) text(s string) {
	s = troffText(s)
	if strings.TrimSpace(s) == "" {
		return
	}
	switch {
	case t.fresh:
		t.out.WriteString(t.indent)
	case t.example:
		t.out.WriteString("\n" + t.indent)
	default:
		t.out.WriteByte(' ')
	}
	if !t.example {
		s = text.OneLine(s)
	}
	t.out.WriteString(s)
	t.fresh = false
	if t.term {
		t.term, t.indent, t.fresh = false, "    ", true
		t.out.WriteByte('\n')
	}
}

func (t *troff) line(line string) {
	if t.skipped {
		t.skipped = line != ".."
		return
	}
	if line == "" {
		if !t.example {
			t.paragraph()
		}
		return
	}
	if line[0] != '.' && line[0] != '\'' {
		t.text(line)
		return
	}
	name, rest, _ := strings.Cut(strings.TrimLeft(line[1:], " \t"), " ")
	args := troffWords(rest)
	switch name {
	case "TH", "Dt":
		if len(args) > 0 && t.d.Title == "" {
			t.d.Title = strings.ToLower(troffText(args[0]))
			if len(args) > 1 {
				t.d.Title += "(" + args[1] + ")"
			}
		}
	case "SH", "Sh", "SS", "Ss":
		t.paragraph()
		t.indent, t.term, t.example = "", false, false
		level := 1
		if name == "SS" || name == "Ss" {
			level = 2
		}
		t.group++
		t.sections.add(level, troffText(strings.Join(args, " ")))
	case "PP", "LP", "P", "Pp", "sp", "RE", "El", "HP":
		t.paragraph()
		t.indent = ""
	case "TP", "TQ":
		t.paragraph()
		t.indent, t.term = "", true
	case "IP", "It":
		t.paragraph()
		t.indent = ""
		if name == "It" {
			args = strings.Fields(mdocWords(args))
		} else if len(args) > 1 {
			args = args[:1]
		}
		if s := strings.TrimSpace(troffText(strings.Join(args, " "))); s == "•" || s == "*" || s == "-" {
			t.text("•")
		} else if s != "" {
			t.term = true
			t.text(s)
		}
	case "nf", "EX", "Bd":
		t.paragraph()
		t.example = true
	case "fi", "EE", "Ed":
		t.paragraph()
		t.example = false
	case "B", "I", "SM", "SB":
		t.text(strings.Join(args, " "))
	case "BR", "RB", "BI", "IB", "IR", "RI":
		t.text(strings.Join(args, ""))
	case "de", "ig", "am":
		t.skipped = true
	case "br":
		if !t.fresh && !t.example {
			t.out.WriteByte('\n')
			t.fresh = true
		}
	default:
		if len(name) == 2 && name[0] >= 'A' && name[0] <= 'Z' && name[1] >= 'a' && name[1] <= 'z' && name != "Dd" && name != "Os" && name != "Bl" { // mdoc
			t.text(mdocWords(append([]string{name}, args...)))
		}
	}
}

// mdocWords returns the words of a line of mdoc: flags with their hyphens, references with their
// section.
func mdocWords(args []string) string {
	var b strings.Builder
	for i := 0; i < len(args); i++ {
		switch a := args[i]; a {
		case "Fl":
			b.WriteString(" -")
		case "Op":
			b.WriteString(" [")
			b.WriteString(strings.TrimSpace(mdocWords(args[i+1:])) + "]")
			return b.String()
		case "Nm", "Ar", "Nd", "Pa", "Ev", "Em", "Sy", "Va", "Vt", "Fn", "Fa", "Cm", "Ic", "Li", "Dv", "Er", "Xr", "Ns", "Sq", "Dq", "Ql", "Qq", "Pq", "Cd", "Ad", "An", "Sx", "No", "Tn", "Ux", "Lk", "Mt", "Ad,":
			if a == "Nd" {
				b.WriteString(" –")
			}
		default:
			s := b.String()
			if s != "" && !strings.HasSuffix(s, "-") && (len(a) > 1 || !strings.Contains(".,;:)", a)) {
				b.WriteByte(' ')
			}
			b.WriteString(a)
		}
	}
	return strings.TrimSpace(b.String())
}

// troffWords returns the arguments of a request; a quoted one may contain spaces.
func troffWords(s string) []string {
	var out []string
	for s = strings.TrimLeft(s, " \t"); s != ""; s = strings.TrimLeft(s, " \t") {
		if strings.HasPrefix(s, `\"`) {
			return out
		}
		end := 0
		if s[0] == '"' {
			s = s[1:]
			if end = strings.IndexByte(s, '"'); end < 0 {
				end = len(s)
			}
			out = append(out, s[:end])
			s = s[min(end+1, len(s)):]
			continue
		}
		if end = strings.IndexAny(s, " \t"); end < 0 {
			end = len(s)
		}
		out = append(out, s[:end])
		s = s[end:]
	}
	return out
}

var (
	troffEscape = pattern.New(`\\(?:f(?:\[[^\]]*\]|\(..|.)|s[-+]?\d+|\*(?:\[[^\]]*\]|\(..|.)|\(..|\[[^\]]*\]|[mnY](?:\[[^\]]*\]|\(..|.)|[vhwlDXbo]'[^']*'|".*|.)`)
	troffSigns  = map[string]string{`\-`: "-", `\e`: `\`, `\\`: `\`, `\ `: " ", `\~`: " ", `\0`: " ", `\'`: "'", "\\`": "`", `\.`: ".",
		"em": "—", "en": "–", "bu": "•", "co": "©", "aq": "'", "cq": "’", "oq": "‘", "lq": "“", "rq": "”", "dq": `"`, "ha": "^", "ti": "~", "rs": `\`, "mu": "×", "->": "→", "<=": "≤", ">=": "≥", "+-": "±", "hy": "-", "mi": "−", "ga": "`"}
)

func troffText(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	return troffEscape.ReplaceAllStringFunc(s, func(m string) string {
		if sign, ok := troffSigns[m]; ok {
			return sign
		}
		if m[1] == '(' || m[1] == '[' {
			name := strings.Trim(m[2:], "]")
			if sign, ok := troffSigns[name]; ok {
				return sign
			}
			if r, n := utf8.DecodeRuneInString(name); n > 0 && len(name) == 2 && strings.ContainsRune("`'^:~,", r) || len(name) == 2 && strings.IndexByte("`'^:~,", name[0]) >= 0 {
				return name[1:]
			}
		}
		return ""
	})
}
