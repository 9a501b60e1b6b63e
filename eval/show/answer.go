package show

import (
	"regexp"
	"strings"
)

// A block is a paragraph, a heading or a list of an answer.
type block struct {
	Kind  string // "text", "head", "list" or "rule"
	Lines [][]inline
}

// An inline is a run of words. ID, if any, is what its link leads to.
type inline struct {
	Text   string
	ID     string
	Strong bool
}

var headLine = regexp.MustCompile(`^#{1,6} +`)

// blocksOf lays out what answers are made of: paragraphs, headings, lists, rules,
// bold words and the marks of sources, which anchors leads to the page's elements.
// Anything else stays as it is written.
func blocksOf(answer string, anchors map[string]string) []block {
	var out []block
	open := false // the last block goes on
	add := func(kind, text string) {
		line := inlinesOf(text, anchors)
		if open && kind != "head" && out[len(out)-1].Kind == kind {
			out[len(out)-1].Lines = append(out[len(out)-1].Lines, line)
			return
		}
		out = append(out, block{kind, [][]inline{line}})
		open = true
	}
	for line := range strings.Lines(answer) {
		text := strings.TrimSpace(line)
		item, listed := strings.CutPrefix(text, "- ")
		switch {
		case text == "":
			open = open && out[len(out)-1].Kind == "list"
		case text == "---":
			out, open = append(out, block{Kind: "rule"}), false
		case headLine.MatchString(text):
			add("head", headLine.ReplaceAllString(text, ""))
		case listed:
			add("list", item)
		default:
			add("text", text)
		}
	}
	return out
}

// inlinesOf finds bold words and marks in a line.
func inlinesOf(text string, anchors map[string]string) []inline {
	var out []inline
	strong, from := false, 0
	flush := func(to int) {
		if from < to {
			out = append(out, inline{Text: text[from:to], Strong: strong})
		}
	}
	for i := 0; i < len(text); {
		if strings.HasPrefix(text[i:], "**") && (strong || strings.Contains(text[i+2:], "**")) {
			flush(i)
			strong, i = !strong, i+2
			from = i
			continue
		}
		if mark, id := markAt(text[i:], anchors); mark != "" {
			flush(i)
			out = append(out, inline{mark, id, strong})
			i += len(mark)
			from = i
			continue
		}
		i++
	}
	flush(len(text))
	return out
}

// markAt returns the longest mark that text begins with, and where it leads.
func markAt(text string, anchors map[string]string) (mark, id string) {
	if text[0] != '[' {
		return "", ""
	}
	for end := 0; ; {
		at := strings.IndexByte(text[end:], ']')
		if at < 0 {
			return mark, id
		}
		end += at + 1
		if to, ok := anchors[text[:end]]; ok {
			mark, id = text[:end], to
		}
		if end >= len(text) || text[end] != '[' {
			return mark, id
		}
	}
}
