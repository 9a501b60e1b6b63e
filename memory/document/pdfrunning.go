package document

import (
	"strconv"
	"strings"
	"unicode"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/pattern"
)

// Rules for lines at the head or foot of a page that belong to the page and not to the text.
const (
	edgeLines   = 2  // lines at the head and at the foot, without the page number, that may be running ones
	runningGap  = 2  // pages from one to the next: books set heads of left and right pages
	runningLeap = 3  // pages in a row, no fewer
	pageNumbers = .5 // of the pages have a number at one place for it to be the page's
)

type pageLine struct {
	start, end int
	words      string // its text with single spaces
}

// pdfBodies returns, for each page, the bytes between its running heads and feet: lines that repeat
// from page to page, and page numbers with the text around them.
func pdfBodies(w *watch, pages []pdfPage) [][2]int {
	lines := make([][]pageLine, len(pages))
	for i, p := range pages {
		w.step()
		lines[i] = pageLines(p.text)
	}
	for _, foot := range []bool{false, true} {
		dropNumbers(lines, foot)
		dropRunning(lines, foot)
		dropNumbers(lines, foot) // a number below a running title
	}
	out := make([][2]int, len(pages))
	empty := true
	for i, l := range lines {
		if len(l) > 0 {
			out[i], empty = [2]int{l[0].start, l[len(l)-1].end}, false
		}
	}
	for i, p := range pages {
		if empty { // pages with nothing else
			out[i][1] = len(p.text)
		}
	}
	return out
}

func pageLines(page string) []pageLine {
	var out []pageLine
	start := 0
	for line := range strings.Lines(page) {
		if words := text.OneLine(line); words != "" {
			out = append(out, pageLine{start, start + len(line), words})
		}
		start += len(line)
	}
	return out
}

func edge(lines []pageLine, foot bool, n int) (pageLine, bool) {
	if n >= len(lines) {
		return pageLine{}, false
	}
	if foot {
		n = len(lines) - 1 - n
	}
	return lines[n], true
}

func drop(lines []pageLine, foot bool, n int) []pageLine {
	if foot {
		return lines[:len(lines)-n]
	}
	return lines[n:]
}

// dropNumbers removes the outermost lines with the page number if half of the pages have one. The
// number is at either end of the line and increases with the pages.
func dropNumbers(lines [][]pageLine, foot bool) {
	votes := map[int]int{}
	offset, most := 0, 0
	for i, l := range lines {
		line, ok := edge(l, foot, 0)
		if !ok {
			continue
		}
		for _, n := range endNumbers(line.words) {
			votes[n-i]++
			if v := votes[n-i]; v > most {
				offset, most = n-i, v
			}
		}
	}
	if most < runningLeap || float64(most) < pageNumbers*float64(len(lines)) {
		return
	}
	for i, l := range lines {
		line, ok := edge(l, foot, 0)
		if !ok {
			continue
		}
		numbers := endNumbers(line.words)
		roman := len(line.words) <= 6 && strings.Trim(line.words, "ivxl") == "" // of a page before the first chapter
		for _, n := range numbers {
			roman = roman || n-i == offset
		}
		if roman {
			lines[i] = drop(l, foot, 1)
		}
	}
}

// pagesInAll matches the total after a page's number: "/ 233", "of 9".
var pagesInAll = pattern.New(`(^|\d ?)(/|of) ?\d+$`)

// endNumbers are the numbers that a line begins and ends with.
func endNumbers(words string) []int {
	var out []int
	if at := pagesInAll.FindStringSubmatchIndex(words); at != nil {
		words = strings.TrimSpace(words[:at[4]])
	}
	first, _, _ := strings.Cut(words, " ")
	last := words[strings.LastIndexByte(words, ' ')+1:]
	for _, word := range []string{first, last} {
		if n, err := strconv.Atoi(strings.Trim(word, "-–—[]()|")); err == nil && n >= 0 && (len(out) == 0 || out[0] != n) {
			out = append(out, n)
		}
	}
	return out
}

// dropRunning removes lines that repeat at the head, or foot, of several consecutive pages.
func dropRunning(lines [][]pageLine, foot bool) {
	type seen struct{ page, run, longest int }
	found := map[string]seen{}
	for i, l := range lines {
		for n := range edgeLines {
			line, ok := edge(l, foot, n)
			if !ok || !strings.ContainsFunc(line.words, unicode.IsLetter) {
				continue
			}
			s, known := found[line.words]
			switch {
			case known && s.page == i:
				continue
			case known && i-s.page <= runningGap:
				s.run++
			default:
				s.run = 1
			}
			s.page, s.longest = i, max(s.longest, s.run)
			found[line.words] = s
		}
	}
	for i, l := range lines {
		take := 0
		for take < edgeLines {
			if line, ok := edge(l, foot, take); !ok || found[line.words].longest < runningLeap {
				break
			}
			take++
		}
		lines[i] = drop(l, foot, take)
	}
}
