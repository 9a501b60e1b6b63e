package document

import (
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"

	"example.com/assay/memory/text"
)

// A docxStyle has the properties of a paragraph style that affect the text.
type docxStyle struct {
	name, parent string
	outline      int // 1 to 9; 0 for none
	number       string
	level        int
	hidden       bool
	script       script
}

func readStyles(part io.Reader) (map[string]docxStyle, error) {
	styles := map[string]docxStyle{}
	return styles, decoded(part, func(t xml.Token, decode func(any) error) error {
		if e, ok := t.(xml.StartElement); !ok || e.Name.Local != "style" {
			return nil
		}
		var s struct {
			ID      string  `xml:"styleId,attr"`
			Name    valued  `xml:"name"`
			Parent  valued  `xml:"basedOn"`
			Outline valued  `xml:"pPr>outlineLvl"`
			Number  valued  `xml:"pPr>numPr>numId"`
			Level   valued  `xml:"pPr>numPr>ilvl"`
			Hidden  *valued `xml:"rPr>vanish"`
			Script  valued  `xml:"rPr>vertAlign"`
		}
		if err := decode(&s); err != nil || s.ID == "" {
			return err
		}
		styles[s.ID] = docxStyle{name: strings.ToLower(s.Name.Val), parent: s.Parent.Val, outline: outlineLevel(s.Outline.Val), number: s.Number.Val,
			level: levelOf(s.Level.Val), hidden: s.Hidden.on(), script: scriptOf(s.Script.Val)}
		return nil
	})
}

// isOn reads a switch, which is on where it has no value.
func isOn(val string) bool { return val != "0" && val != "false" && val != "off" }

func scriptOf(val string) script {
	return map[string]script{"superscript": above, "subscript": below}[val]
}

// outlineLevel reads a level: 0 is the first, 9 is body text.
func outlineLevel(val string) int {
	if n, ok := numberBelow(val, 9); ok {
		return n + 1
	}
	return 0
}

func levelOf(val string) int {
	n, _ := numberBelow(val, numberLevels)
	return n
}

func resolveStyle(styles map[string]docxStyle, id string) docxStyle {
	out := styles[id]
	for s, n := out, 0; s.parent != "" && n < 16; n++ {
		s = styles[s.parent]
		if out.outline == 0 {
			out.outline = s.outline
		}
		if out.number == "" {
			out.number, out.level = s.number, max(out.level, s.level)
		}
		if out.outline == 0 {
			out.outline = headingName(s.name)
		}
	}
	if n := headingName(out.name); n > 0 {
		out.outline = n
	}
	return out
}

// headingName returns the level that the built-in names "heading 1" to
// "heading 9" mean; they are the same in every language of Word.
func headingName(name string) int {
	rest, _ := strings.CutPrefix(name, "heading ")
	if n, ok := numberBelow(rest, 10); ok && rest != name {
		return n
	}
	return 0
}

const numberLevels = 9

type numberLevel struct {
	format, text string
	start        int
}

// A numberedList is a list that others may continue, with its counters.
type numberedList struct {
	levels [numberLevels]numberLevel
	counts [numberLevels]int
	used   [numberLevels]bool
}

type numbering struct {
	kinds  map[string]*numberedList
	kindOf map[string]string      // list → numberedList
	starts map[string]map[int]int // by list: where it restarts
}

func (n *numbering) read(part io.Reader) error {
	n.kinds, n.kindOf, n.starts = map[string]*numberedList{}, map[string]string{}, map[string]map[int]int{}
	return decoded(part, func(t xml.Token, decode func(any) error) error {
		var read struct {
			Kind   string `xml:"abstractNumId,attr"`
			Number string `xml:"numId,attr"`
			KindOf valued `xml:"abstractNumId"`
			Levels []struct {
				Level  string `xml:"ilvl,attr"`
				Start  valued `xml:"start"`
				Format valued `xml:"numFmt"`
				Text   valued `xml:"lvlText"`
			} `xml:"lvl"`
			Anew []struct { // other overrides of single lists are not followed
				Level string `xml:"ilvl,attr"`
				Start valued `xml:"startOverride"`
			} `xml:"lvlOverride"`
		}
		e, _ := t.(xml.StartElement)
		if e.Name.Local != "abstractNum" && e.Name.Local != "num" {
			return nil
		}
		if err := decode(&read); err != nil {
			return err
		}
		if e.Name.Local == "num" {
			starts := map[int]int{}
			for _, o := range read.Anew {
				if v, ok := numberBelow(o.Start.Val, mostStart); ok {
					starts[levelOf(o.Level)] = v
				}
			}
			n.kindOf[read.Number], n.starts[read.Number] = read.KindOf.Val, starts
			return nil
		}
		list := new(numberedList)
		for i := range list.levels {
			list.levels[i].start = 1
		}
		for _, l := range read.Levels {
			level := &list.levels[levelOf(l.Level)]
			level.format, level.text = l.Format.Val, l.Text.Val
			if v, ok := numberBelow(l.Start.Val, mostStart); ok {
				level.start = v
			}
		}
		n.kinds[read.Kind] = list
		return nil
	})
}

// mostStart is the greatest start number of a list.
const mostStart = 1e6

// next returns the mark of the next item of a list, "- " or its number; ok reports whether there is
// such a list.
func (n *numbering) next(list string, level int) (sign string, ok bool) {
	if list == "" || list == "0" {
		return "", false
	}
	kind := n.kinds[n.kindOf[list]]
	if kind == nil {
		return "- ", true
	}
	levels, counts, used := &kind.levels, &kind.counts, &kind.used
	if start, anew := n.starts[list][level]; anew {
		counts[level], used[level] = start, true
		delete(n.starts[list], level)
	} else if used[level] {
		counts[level]++
	} else {
		counts[level], used[level] = levels[level].start, true
	}
	for deeper := level + 1; deeper < numberLevels; deeper++ {
		used[deeper] = false
	}
	l := levels[level]
	if l.format == "bullet" {
		return "- ", true
	}
	if l.format == "none" || l.text == "" {
		return "", true
	}
	out := l.text
	for i := range numberLevels {
		v := counts[i]
		if !used[i] {
			v = levels[i].start
		}
		out = strings.ReplaceAll(out, fmt.Sprintf("%%%d", i+1), inFormat(v, levels[i].format))
	}
	return text.OneLine(out) + " ", true
}

// inFormat writes a number as letters, Roman or digits.
func inFormat(n int, format string) string {
	switch {
	case n <= 0 || n > 3000:
	case format == "lowerLetter":
		return letters(n, 'a')
	case format == "upperLetter":
		return letters(n, 'A')
	case format == "lowerRoman":
		return strings.ToLower(roman(n))
	case format == "upperRoman":
		return roman(n)
	}
	return strconv.Itoa(n)
}

// letters counts a … z, aa, bb …, as Word does.
func letters(n int, first byte) string {
	return strings.Repeat(string(first+byte((n-1)%26)), (n-1)/26+1)
}

func roman(n int) string {
	var b strings.Builder
	for _, d := range []struct {
		value int
		sign  string
	}{{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"}, {50, "L"}, {40, "XL"}, {10, "X"}, {9, "IX"}, {5, "V"}, {4, "IV"}, {1, "I"}} {
		for ; n >= d.value; n -= d.value {
			b.WriteString(d.sign)
		}
	}
	return b.String()
}
