package document

import (
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// A docxStyle is what a paragraph style says that matters to text.
type docxStyle struct {
	name, parent string
	outline      int // 1 to 9; 0 for none
	number       string
	level        int
	hidden       bool
	script       script
}

// readStyles reads the paragraph styles by their ids.
func readStyles(part io.Reader) (map[string]docxStyle, error) {
	styles := map[string]docxStyle{}
	var id string
	var s docxStyle
	err := tokens(part, func(t xml.Token) error {
		switch e := t.(type) {
		case xml.StartElement:
			val := attribute(e, "val")
			switch e.Name.Local {
			case "style":
				id, s = attribute(e, "styleId"), docxStyle{}
			case "name":
				s.name = strings.ToLower(val)
			case "basedOn":
				s.parent = val
			case "outlineLvl":
				s.outline = outlineLevel(val)
			case "numId":
				s.number = val
			case "ilvl":
				s.level = levelOf(val)
			case "vanish":
				s.hidden = isOn(val)
			case "vertAlign":
				s.script = scriptOf(val)
			}
		case xml.EndElement:
			if e.Name.Local == "style" && id != "" {
				styles[id] = s
				id = ""
			}
		}
		return nil
	})
	return styles, err
}

// isOn reads a switch, which is on where it has no value.
func isOn(val string) bool { return val != "0" && val != "false" && val != "off" }

func scriptOf(val string) script {
	return map[string]script{"superscript": above, "subscript": below}[val]
}

// outlineLevel reads a level: 0 is the first, 9 is body text.
func outlineLevel(val string) int {
	n, err := strconv.Atoi(val)
	if err != nil || n < 0 || n > 8 {
		return 0
	}
	return n + 1
}

func levelOf(val string) int {
	n, err := strconv.Atoi(val)
	if err != nil || n < 0 || n >= numberLevels {
		return 0
	}
	return n
}

// resolve follows a style to what it is based on.
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
	rest, ok := strings.CutPrefix(name, "heading ")
	if !ok {
		return 0
	}
	n, err := strconv.Atoi(rest)
	if err != nil || n < 1 || n > 9 {
		return 0
	}
	return n
}

const numberLevels = 9

// A numberLevel is how one level of a list is numbered.
type numberLevel struct {
	format, text string
	start        int
}

// A numbering counts the lists of a document.
type numbering struct {
	kinds  map[string]*[numberLevels]numberLevel // abstract lists
	kindOf map[string]string                     // list → abstract list
	counts map[string]*[numberLevels]int         // by abstract list, which lists that go on share
	used   map[string]*[numberLevels]bool
	starts map[string]map[int]int // by list: where it begins anew
}

func newNumbering() *numbering {
	return &numbering{kinds: map[string]*[numberLevels]numberLevel{}, kindOf: map[string]string{},
		counts: map[string]*[numberLevels]int{}, used: map[string]*[numberLevels]bool{}, starts: map[string]map[int]int{}}
}

func (n *numbering) read(part io.Reader) error {
	var abstract *[numberLevels]numberLevel
	var list string
	level := 0
	return eachElement(part, func(e xml.StartElement) error {
		val := attribute(e, "val")
		switch e.Name.Local {
		case "abstractNum":
			abstract = new([numberLevels]numberLevel)
			for i := range abstract {
				abstract[i].start = 1
			}
			n.kinds[attribute(e, "abstractNumId")], list = abstract, ""
		case "num":
			list, abstract = attribute(e, "numId"), nil
		case "abstractNumId":
			if list != "" {
				n.kindOf[list] = val
			}
		case "lvl", "lvlOverride":
			level = levelOf(attribute(e, "ilvl"))
		case "startOverride":
			if v, err := strconv.Atoi(val); err == nil && v >= 0 && v < 1e6 && list != "" {
				if n.starts[list] == nil {
					n.starts[list] = map[int]int{}
				}
				n.starts[list][level] = v
			}
		}
		if abstract == nil { // other overrides of single lists are not followed
			return nil
		}
		switch e.Name.Local {
		case "start":
			if v, err := strconv.Atoi(val); err == nil && v >= 0 && v < 1e6 {
				abstract[level].start = v
			}
		case "numFmt":
			abstract[level].format = val
		case "lvlText":
			abstract[level].text = val
		}
		return nil
	})
}

// next returns the sign of the next item of a list, "- " or its number, and
// whether there is such a list.
func (n *numbering) next(list string, level int) (sign string, ok bool) {
	if list == "" || list == "0" {
		return "", false
	}
	kind := n.kindOf[list]
	levels := n.kinds[kind]
	if levels == nil {
		return "- ", true
	}
	counts, used := n.counts[kind], n.used[kind]
	if counts == nil {
		counts, used = new([numberLevels]int), new([numberLevels]bool)
		n.counts[kind], n.used[kind] = counts, used
	}
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
	return strings.Join(strings.Fields(out), " ") + " ", true
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
