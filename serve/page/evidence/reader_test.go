package evidence_test

import (
	"context"
	"html"
	"regexp"
	"strings"
	"testing"

	"example.com/assay/state/proof"
)

// of reads documents of the same text.
func of(text string) proof.Documents {
	return func(context.Context, proof.Document) (proof.Content, error) { return proof.Content{Text: text}, nil }
}

// A looked is what of a section a reader sees.
type looked struct {
	texts  []string          // of documents and passages
	quoted map[string]string // text of each mark by its id, parts that are cut off among it
	leads  map[string]string // text of each link that has one, by what it leads to
	ids    map[string]int
	tags   string
}

var (
	piece  = regexp.MustCompile(`<[^>]*>|[^<]+`)
	attr   = regexp.MustCompile(` ([a-z-]+)="([^"]*)"`)
	onPage = regexp.MustCompile(` href="#([^"]*)"`)
)

// read reads a section as a browser does.
func read(t interface{ Errorf(string, ...any) }, page string) looked {
	l := looked{quoted: map[string]string{}, leads: map[string]string{}, ids: map[string]int{}}
	var open []map[string]string
	inText, depth := -1, 0
	for _, p := range piece.FindAllString(page, -1) {
		switch {
		case strings.HasPrefix(p, "</"):
			if len(open) == 0 || !strings.HasPrefix(p, "</"+open[len(open)-1]["tag"]+">") {
				t.Errorf("%s closes %v", p, open)
				return l
			}
			if open = open[:len(open)-1]; len(open) == inText {
				inText = -1
			}
		case strings.HasPrefix(p, "<"):
			l.tags += p
			at := map[string]string{"tag": strings.FieldsFunc(p[1:], func(r rune) bool { return r == ' ' || r == '>' || r == '/' })[0]}
			for _, m := range attr.FindAllStringSubmatch(p, -1) {
				at[m[1]] = html.UnescapeString(m[2])
			}
			if id := at["id"]; id != "" {
				l.ids[id]++
			}
			if strings.HasPrefix(at["class"], "text") {
				inText, l.texts = len(open), append(l.texts, "")
			}
			if at["tag"] != "hr" && !strings.HasSuffix(p, "/>") {
				open = append(open, at)
			}
			depth = max(depth, len(open))
		default:
			text := html.UnescapeString(p)
			if inText >= 0 {
				l.texts[len(l.texts)-1] += text
			}
			for _, at := range open {
				if at["tag"] == "mark" {
					l.quoted[at["id"]+at["data-of"]] += text
				}
				if to, link := strings.CutPrefix(at["href"], "#"); link {
					l.leads[to] += text
				}
			}
		}
	}
	if len(open) > 0 {
		t.Errorf("%v is not closed", open)
	}
	return l
}

// sound says of a section that its ids are there once, and that its links lead somewhere.
func sound(t *testing.T, page string) looked {
	t.Helper()
	l := read(t, page)
	for id, n := range l.ids {
		if n > 1 {
			t.Errorf("id %q is there %d times", id, n)
		}
	}
	for _, m := range onPage.FindAllStringSubmatch(page, -1) {
		if l.ids[m[1]] == 0 {
			t.Errorf("a link leads to %q, which is not there", m[1])
		}
	}
	return l
}
