package main

import (
	"fmt"
	"html"
	"regexp"
	"strings"
)

// A cell is a character and the styles it has: letters of classes in the drawing.
type cell struct {
	char  rune
	style string
}

type line []cell

// escape finds what a terminal does not show: links, styles and clearings of a line.
var escape = regexp.MustCompile(`^(?:\x1b\]8;[^\x1b]*\x1b\\|\x1b\[([0-9;]*)([A-Za-z]))`)

// classes are the styles that the command uses, by their codes.
var classes = map[string]string{"1": "b", "4": "u", "31": "r", "32": "g", "33": "y", "36": "c"}

// screen returns the rows that a terminal shows after a text was printed.
func screen(text string) []line {
	lines := []line{nil}
	style := ""
	for text != "" {
		if m := escape.FindStringSubmatch(text); m != nil {
			text = text[len(m[0]):]
			if m[2] == "m" {
				style = styled(style, m[1])
			}
			continue
		}
		char := []rune(text)[0]
		text = text[len(string(char)):]
		last := len(lines) - 1
		switch {
		case char == '\n':
			lines = append(lines, nil)
		case char == '\r' && !strings.HasPrefix(text, "\n"): // the line is written again
			lines[last] = nil
		case char == '\r':
		case len(lines[last]) == columns:
			lines = append(lines, line{{char, style}})
		default:
			lines[last] = append(lines[last], cell{char, style})
		}
	}
	return lines[max(0, len(lines)-rows):]
}

func styled(style, codes string) string {
	for code := range strings.SplitSeq(codes, ";") {
		if code == "0" || code == "" {
			style = ""
		} else if class := classes[code]; !strings.Contains(style, class) {
			style += class
		}
	}
	return style
}

const (
	cellWidth  = 8.0
	lineHeight = 18
	seconds    = 9 // of a scene
)

// svg draws screens that take turns.
func svg(screens [][]line) string {
	var b strings.Builder
	width, height := int(columns*cellWidth)+32, rows*lineHeight+32
	share := 100 / len(screens)
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="ui-monospace,Menlo,Consolas,monospace" font-size="13" fill="#d5d9e0">
<style>
.b{font-weight:bold}.u{text-decoration:underline}.r{fill:#f28b82}.g{fill:#8fd694}.y{fill:#f3d37a}.c{fill:#7cc7e8}
.later{opacity:0}
@media (prefers-reduced-motion:no-preference){.scene{animation:turn %ds steps(1) infinite}}
@keyframes turn{0%%{opacity:1}%d%%{opacity:0}100%%{opacity:0}}
</style>
<rect width="%d" height="%d" rx="8" fill="#1b1e25"/>
`, width, height, seconds*len(screens), share, width, height)
	for i, lines := range screens {
		class := "scene"
		if i > 0 {
			class += " later"
		}
		fmt.Fprintf(&b, "<g class=\"%s\" style=\"animation-delay:%ds\">\n", class, i*seconds)
		for row, l := range lines {
			fmt.Fprintf(&b, `<text x="16" y="%d" xml:space="preserve">%s</text>`+"\n", 28+row*lineHeight, spans(l))
		}
		b.WriteString("</g>\n")
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// spans joins neighbouring cells of one style.
func spans(l line) string {
	var b strings.Builder
	for start := 0; start < len(l); {
		end := start
		var text strings.Builder
		for ; end < len(l) && l[end].style == l[start].style; end++ {
			text.WriteRune(l[end].char)
		}
		if style := l[start].style; style == "" {
			b.WriteString(html.EscapeString(text.String()))
		} else {
			fmt.Fprintf(&b, `<tspan class="%s">%s</tspan>`, strings.Join(strings.Split(style, ""), " "), html.EscapeString(text.String()))
		}
		start = end
	}
	return b.String()
}
