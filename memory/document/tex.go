package document

import (
	"bytes"
	"context"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"example.com/assay/memory/text"
)

// looksLikeTeX reports whether a file is a document in LaTeX: its first line, comments aside, begins with a
// command, and a document begins in it. A program that writes LaTeX begins otherwise.
func looksLikeTeX(raw []byte) bool {
	head := raw[:min(len(raw), 1<<14)]
	for line := range bytes.Lines(head) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '%' {
			return line[0] == '\\' && (bytes.Contains(head, []byte(`\documentclass`)) || bytes.Contains(head, []byte(`\begin{document}`)))
		}
	}
	return false
}

// parseTeX converts LaTeX to Markdown, from which headings, lists and tables are then read. It does
// not expand the document's own macros; for unknown commands it keeps the arguments in braces.
func parseTeX(ctx context.Context, d *Document, raw []byte, o LoadOptions) error {
	if err := checkText(d.Path, raw); err != nil {
		return err
	}
	t := tex{w: &watch{ended: ctx.Err}, s: string(raw)}
	body := strings.Index(t.s, `\begin{document}`)
	if body >= 0 {
		for _, c := range []string{`\title`, `\author`, `\date`} {
			if at := strings.Index(t.s[:body], c+"{"); at >= 0 {
				arg, _ := t.braces(at + len(c))
				if said := strings.TrimSpace(t.inner(arg)); said != "" && c == `\title` {
					t.out.WriteString("# " + strings.Join(strings.Fields(said), " ") + "\n\n")
				} else if said != "" {
					t.out.WriteString(said + "\n\n")
				}
			}
		}
		t.at = body + len(`\begin{document}`)
		if end := strings.Index(t.s[t.at:], `\end{document}`); end >= 0 {
			t.s = t.s[:t.at+end]
		}
	}
	t.write()
	return parseMarkdown(ctx, d, []byte(texBlank(t.out.String())), o)
}

// texBlank removes repeated empty lines, white space at line ends, and the space that a citation
// leaves before a comma or a full stop.
func texBlank(s string) string {
	var b strings.Builder
	empty := true
	for line := range strings.Lines(s) {
		line = strings.ReplaceAll(strings.TrimRight(line, " \t\r\n"), " ,", ",")
		line = strings.TrimSuffix(strings.ReplaceAll(line+" ", " . ", ". "), " ")
		if line == "" && empty {
			continue
		}
		empty = line == ""
		b.WriteString(line + "\n")
	}
	return b.String()
}

// A tex writes LaTeX as Markdown.
type tex struct {
	w     *watch
	s     string
	at    int
	out   strings.Builder
	table bool // is open
	rows  int  // of it
	depth int  // of arguments inside arguments
}

// mostDeep is the greatest nesting of arguments.
const mostDeep = 50

// inner returns an argument as it appears on the page.
func (t *tex) inner(arg string) string {
	if t.depth >= mostDeep {
		return arg
	}
	in := tex{w: t.w, s: arg, depth: t.depth + 1}
	in.write()
	return in.out.String()
}

// longestArgument is the distance in bytes within which the end of an argument is looked for.
const longestArgument = 4 << 10

// braces returns the argument in braces that begins at a place, and where it ends. Without one it is empty.
func (t *tex) braces(at int) (string, int) { return t.enclosed(at, '{', '}') }

func (t *tex) enclosed(at int, open, close byte) (string, int) {
	if at >= len(t.s) || t.s[at] != open {
		return "", at
	}
	deep := 0
	for i := at; i < min(len(t.s), at+longestArgument); i++ {
		switch c := t.s[i]; {
		case c == '\\':
			i++
		case c == open:
			deep++
		case c == close:
			if deep--; deep == 0 {
				return t.s[at+1 : i], i + 1
			}
		}
	}
	return "", at + 1 // it is not closed
}

// texHeads maps heading commands to their levels.
var texHeads = map[string]int{"part": 1, "chapter": 1, "section": 2, "subsection": 3, "subsubsection": 4, "frametitle": 2}

// texDropped are commands whose arguments are not on the page.
var texDropped = text.Set(`cite citep citet label ref eqref pageref autoref includegraphics vspace hspace bibliography bibliographystyle usepackage documentclass
	newcommand renewcommand setlength input include pagestyle thispagestyle index hypersetup cline cmidrule`)

// texSigns maps commands to the sign they stand for.
var texSigns = map[string]string{
	"ldots": "…", "dots": "…", "textbackslash": "\\", "textasciitilde": "~", "ss": "ß", "ae": "æ", "AE": "Æ", "o": "ø", "O": "Ø", "aa": "å", "AA": "Å", "l": "ł", "L": "Ł", "euro": "€", "pounds": "£", "S": "§",
	"copyright": "©", "textdegree": "°", "degree": "°", "leq": "≤", "le": "≤", "geq": "≥", "ge": "≥", "neq": "≠", "times": "×", "cdot": "·", "pm": "±", "approx": "≈", "sim": "~", "rightarrow": "→", "to": "→", "infty": "∞",
	"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "lambda": "λ", "mu": "μ", "pi": "π", "sigma": "σ", "omega": "ω", "Delta": "Δ", "Omega": "Ω", "percent": "%",
}

// texAccents are commands that put a mark on the next letter.
var texAccents = map[string]string{
	"'": "\u0301", "`": "\u0300", "^": "\u0302", `"`: "\u0308", "~": "\u0303", "=": "\u0304", ".": "\u0307",
	"c": "\u0327", "v": "\u030c", "u": "\u0306", "H": "\u030b", "r": "\u030a", "k": "\u0328",
}

func (t *tex) write() {
	for t.at < len(t.s) {
		t.w.step()
		switch c := t.s[t.at]; {
		case c == '\\':
			t.command()
			continue
		case c == '%':
			end := strings.IndexByte(t.s[t.at:], '\n')
			if end < 0 {
				return
			}
			t.at += end
		case c == '{' || c == '}' || c == '$' || c == '&' && !t.table:
		case c == '~':
			t.out.WriteByte(' ')
		case c == '&':
			t.out.WriteString(" | ")
		case t.table && (c == '\n' || c == '\r'): // a row ends otherwise
			t.out.WriteByte(' ')
		case strings.HasPrefix(t.s[t.at:], "---"):
			t.out.WriteString("—")
			t.at += 2
		case strings.HasPrefix(t.s[t.at:], "--"):
			t.out.WriteString("–")
			t.at++
		case strings.HasPrefix(t.s[t.at:], "``"):
			t.out.WriteString("“")
			t.at++
		case strings.HasPrefix(t.s[t.at:], "''"):
			t.out.WriteString("”")
			t.at++
		default:
			t.out.WriteByte(c)
		}
		t.at++
	}
}

// command writes the text that a command produces.
func (t *tex) command() {
	start := t.at + 1
	end := start
	for end < len(t.s) && (t.s[end]|0x20 >= 'a' && t.s[end]|0x20 <= 'z') {
		end++
	}
	if end == start { // a sign
		if start == len(t.s) {
			t.at = start
			return
		}
		c := t.s[start]
		t.at = start + 1
		switch accent := texAccents[t.s[start:start+1]]; {
		case c == '\\':
			_, t.at = t.enclosed(t.at, '[', ']')
			t.line()
		case accent != "":
			t.accented(accent)
		case strings.IndexByte("[](),;:!>@/- ", c) >= 0: // mathematics and spaces
			if c == ' ' {
				t.out.WriteByte(' ')
			}
		default:
			t.out.WriteByte(c)
		}
		return
	}
	name := t.s[start:end]
	if end < len(t.s) && t.s[end] == '*' {
		end++
	}
	if slides, after := t.enclosed(end, '<', '>'); slides != "" && strings.Trim(slides, "0123456789-+,") == "" {
		end = after // an overlay specification of a talk
	}
	optional, end := t.enclosed(end, '[', ']')
	t.at = end
	arg := func() string {
		var a string
		a, t.at = t.braces(t.at)
		return a
	}
	sign, isSign := texSigns[name]
	switch level := texHeads[name]; {
	case texAccents[name] != "":
		t.accented(texAccents[name])
	case level > 0:
		t.out.WriteString("\n\n" + strings.Repeat("#", level) + " " + strings.Join(strings.Fields(t.inner(arg())), " ") + "\n\n")
	case name == "paragraph":
		t.out.WriteString("\n\n**" + strings.TrimRight(t.inner(arg()), ".: ") + ".** ")
	case name == "begin":
		t.begin(arg())
	case name == "end":
		if environment := arg(); strings.HasPrefix(environment, "tabular") || environment == "longtable" {
			t.table = false
		}
		t.out.WriteString("\n\n")
	case name == "item":
		t.out.WriteString("\n- ")
		if optional != "" {
			t.out.WriteString("**" + t.inner(optional) + "** ")
		}
		t.skipSpace()
	case name == "footnote":
		t.out.WriteString(" (" + t.inner(arg()) + ")")
	case name == "href" || name == "textcolor":
		arg()
		t.out.WriteString(t.inner(arg()))
	case name == "multicolumn" || name == "multirow":
		arg()
		arg()
		t.out.WriteString(t.inner(arg()))
	case name == "hline" || name == "toprule" || name == "midrule" || name == "bottomrule":
		t.skipSpace()
	case name == "newline":
		t.line()
	case name == "bibitem":
		arg()
		t.out.WriteString("\n- ")
		t.skipSpace()
	case name == "caption":
		t.out.WriteString("\n\n" + t.inner(arg()) + "\n\n")
	case texDropped[name]:
		for t.at < len(t.s) && (t.s[t.at] == '{' || t.s[t.at] == '[') {
			_, t.at = t.enclosed(t.at, t.s[t.at], t.s[t.at]+2)
		}
		if t.table {
			t.skipSpace()
		}
	case isSign:
		t.out.WriteString(sign)
		t.at += len(t.s[t.at:]) - len(strings.TrimLeft(t.s[t.at:], " "))
	case name == "par":
		t.out.WriteString("\n\n")
	}
}

// accented writes the next letter, perhaps in braces, with an accent.
func (t *tex) accented(accent string) {
	t.at = len(t.s) - len(strings.TrimLeft(t.s[t.at:], " "))
	letter, after := t.braces(t.at)
	if letter == "" && t.at < len(t.s) {
		_, size := utf8.DecodeRuneInString(t.s[t.at:])
		letter, after = t.s[t.at:t.at+size], t.at+size
	}
	if letter == "\\" && after < len(t.s) { // an i or j that has no dot
		letter, after = t.s[after:after+1], after+1
	}
	t.out.WriteString(norm.NFC.String(strings.TrimPrefix(letter, "\\") + accent))
	t.at = after
}

func (t *tex) skipSpace() { t.at = len(t.s) - len(strings.TrimLeft(t.s[t.at:], " \t\r\n")) }

// begin opens an environment. Verbatim text is code.
func (t *tex) begin(environment string) {
	switch {
	case environment == "verbatim" || environment == "lstlisting" || environment == "minted":
		size := strings.Index(t.s[t.at:], `\end{`+environment+"}")
		if size < 0 {
			size = len(t.s) - t.at
		}
		t.out.WriteString("\n\n```\n" + strings.Trim(t.s[t.at:t.at+size], "\n") + "\n```\n\n")
		t.at += size
	case strings.HasPrefix(environment, "tabular") || environment == "longtable":
		_, t.at = t.braces(t.at)
		if strings.HasSuffix(environment, "*") || environment == "tabularx" { // the width came first
			_, t.at = t.braces(t.at)
		}
		t.table, t.rows = true, 0
		t.out.WriteString("\n\n")
		t.skipSpace()
	default:
		_, t.at = t.enclosed(t.at, '[', ']')
		if texSized[environment] {
			_, t.at = t.braces(t.at)
		}
		t.out.WriteString("\n\n")
	}
}

// texSized are environments with an argument that is not on the page.
var texSized = text.Set(`minipage thebibliography multicols column adjustbox`)

// line ends a line, or a row of a table.
func (t *tex) line() {
	t.out.WriteByte('\n')
	if !t.table {
		return
	}
	if t.rows++; t.rows == 1 {
		said := strings.TrimRight(t.out.String(), "\n")
		t.out.WriteString(strings.Repeat("---|", strings.Count(said[strings.LastIndexByte(said, '\n')+1:], "|")) + "---\n")
	}
	t.skipSpace()
}
