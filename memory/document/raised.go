package document

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// Signs that Unicode has in a raised and in a lowered form, in the same order.
var (
	level   = []rune("0123456789+-=()−–abcdefghijklmnoprstuvwxyz")
	raised  = []rune("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾⁻⁻ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ")
	lowered = []rune("₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎₋₋")
)

type script int

const (
	onLine script = iota
	above
	below
)

// scripted returns raised or lowered signs, for the end of a text: 10 and a raised 6 become 10⁶,
// not 106. Raised words stay as they are, 1st and Mme, and so do lowered signs after a letter, CO2,
// because nothing is lost.
func scripted(s string, at script, before string) string {
	trimmed := strings.TrimSpace(s)
	last, _ := utf8.DecodeLastRuneInString(before)
	letters := len(trimmed) > 1 && strings.IndexFunc(trimmed, func(r rune) bool { return !unicode.IsLetter(r) && r != '.' }) < 0
	if at == onLine || trimmed == "" || before == "" || letters || at == below && unicode.IsLetter(last) || unicode.IsSpace(last) && at == below {
		return s
	}
	if s := inScript(trimmed, at); s != "" {
		return s
	}
	// a sign lacks such a form, so no sign is changed
	if strings.ContainsFunc(trimmed, unicode.IsDigit) && unicode.IsNumber(last) {
		return map[script]string{above: "^", below: "_"}[at] + trimmed
	}
	return s
}

// inScript writes signs raised or lowered; "" where one of them has no such form.
func inScript(s string, at script) string {
	signs := raised
	if at == below {
		signs = lowered
	}
	var b strings.Builder
	for _, r := range s {
		i := slices.Index(level[:len(signs)], r)
		if i < 0 {
			return ""
		}
		b.WriteRune(signs[i])
	}
	return b.String()
}

// math writes the elements of MathML whose form says more than their text, and reports
// whether it did.
func (w *htmlWriter) math(n *html.Node) bool {
	var parts []*html.Node
	for c := n.FirstChild; c != nil && len(parts) < 3; c = c.NextSibling {
		if c.Type == html.ElementNode {
			parts = append(parts, c)
		}
	}
	if n.Data == "annotation" || n.Data == "annotation-xml" {
		return true
	}
	if len(parts) < 2 {
		return false
	}
	switch n.Data {
	case "mfrac":
		w.text(fraction(w.page.inlineText(parts[0]), w.page.inlineText(parts[1])))
	case "msup", "msub", "msubsup":
		outer := w.script
		w.walk(parts[0])
		for i, p := range parts[1:] {
			if w.script = below; n.Data == "msup" || i > 0 {
				w.script = above
			}
			w.walk(p)
		}
		w.script = outer
	default:
		return false
	}
	return true
}

func fraction(over, under string) string {
	wrap := func(s string) string {
		if s = strings.TrimSpace(s); strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '.' && r != ',' }) {
			return "(" + s + ")"
		}
		return s
	}
	return wrap(over) + "/" + wrap(under)
}
