package document

import (
	"fmt"
	"strings"
	"testing"
)

func TestHTMLStructure(t *testing.T) {
	for _, c := range []struct{ name, page, want string }{
		{"terms stand before what describes them", `<p>Options:<dl><dt>-e<dt>--echo<dd><p>Echo it.<p>Twice.<dt>-q<dd>Quiet.</dl>`,
			"Options:\n\n-e\n--echo\nEcho it.\nTwice.\n\n-q\nQuiet."},
		{"a row can be read alone", `<table><caption>Sizes</caption><thead><tr><th>Type<th>Size<th>Range<tbody><tr><td>small<td>2 bytes<td><p>to<p>32767<tr><td>big<td><td>more</table>`,
			"Sizes\n\nType; Size; Range\n\nsmall; Size: 2 bytes; Range: to 32767\n\nbig; Range: more"},
		{"cells that reach over rows and columns", `<table><tr><th rowspan=2>Type<th colspan=2>Size<tr><th>old<th>new<tr><td rowspan=2>int<td>2<td>4<tr><td>3<td>5</table>`,
			"Type; Size\n\nold; new\n\nint; Size old: 2; Size new: 4\n\nint; Size old: 3; Size new: 5"},
		{"rows with headers of their own", `<table><tr><th>Capital<td>Paris<tr><th>Area<td>1<td>2</table>`, "Capital: Paris\n\nArea: 1; 2"},
		{"a table that places content", `<table><tr><td><h2>Head</h2><p>One.<p>Two.<td><ul><li>x</ul></table>`, "Head\n\nOne.\n\nTwo.\n\n- x"},
		{"rows of one cell", `<table><tr><th><p>Function<p>Example<tr><td><p>abs(n)<p>abs(-1) → 1</table>`, "Function\nExample\n\nabs(n)\nabs(-1) → 1"},
		{"signs of headings", `<h2>1.2. Name<a class="headerlink" href="#n">¶</a></h2><p>Text.<dl><dt>term <a href="#t">#</a><dd>It.</dl>`, "1.2. Name\n\nText.\n\nterm\nIt."},
		{"no-break spaces after letters", "<p>à&nbsp;la х&nbsp;и Р&nbsp;и Å&nbsp;b", "à la х и Р и Å b"},
		{"a table of contents", `<div class=x><p>Contents<dl><dt><a href=a>One chapter</a><dd><dl><dt><a href=b>Two sections</a></dl></dl></div><p>Text.`, "Text."},
		{"an index", `<dl><dt>zones, <a href=a>Time Zones</a><dt>zlib<dd><dl><dt>needs of, <a href=b>Needs</a>, <a href=c>Build</a></dl><dt>zeros, <a href=d>Numbers</a><dt>zoo, <a href=d>Animals</a><dt>zinc, <a href=e>Metals</a></dl><p>Text.`, "Text."},
		{"contents that say something", `<dl><dt><a href=a>ABORT</a> — stop the work<dt><a href=b>ALTER</a> — change it</dl>`, "ABORT — stop the work\nALTER — change it"},
		{"lists of links", `<ul><li><a href=a>First page</a><li><a href=b>Second page</a><li><a href=c>Third page</a></ul><p>Text.`, "Text."},
		{"a list of links that a sentence asks for", `<p>Commands are:<ul><li><a href=a>one</a><li><a href=b>two</a><li><a href=c>three</a></ul>`, "Commands are:\n\n- one\n- two\n- three"},
		{"links to the pages around", `<table><tr><th colspan=3>Chapter<tr><td><a href=p.html>Back</a><th>Book<td><a href=n.html>On</a></table><p>Text.<div><a href=p.html>Back</a> <a href=n.html>On</a></div>`, "Text."},
		{"a form", `<form>Search <input></form><p>Text.`, "Text."},
	} {
		d := mustRead(t, "a.html", `<head><link rel=prev href=p.html><link rel=next href=n.html></head><body>`+c.page, nil)
		check(t, d, nil)
		if got := strings.TrimSpace(d.Text); got != c.want {
			t.Errorf("%s:\n got %q\nwant %q", c.name, got, c.want)
		}
	}
}

// Every passage of a description carries its terms, and those around them.
func TestHTMLTermsInPassages(t *testing.T) {
	long := strings.Repeat("<p>A sentence of some length describes it.", 40)
	page := `<h2>Options</h2><dl><dt>short<dd>It is short.<dt>-D dir<dd>` + long + `<dl><dt>deep<dd>` + long + `</dl>` + `<dt>last<dd>It is last.</dl>`
	deep, outer, plain := 0, 0, 0
	for _, p := range check(t, mustRead(t, "a.html", page, nil), nil) {
		switch p.Section {
		case "Options > -D dir > deep":
			deep++
		case "Options > -D dir":
			outer++
		case "Options", "Options > last":
			plain++
		default:
			t.Errorf("section %q", p.Section)
		}
		if p.Section == "Options" && !strings.Contains(p.Text, "short\nIt is short.\n\n-D dir\n") {
			t.Errorf("a passage without its term: %q", p.Text)
		}
	}
	if deep < 2 || outer < 1 || plain != 2 {
		t.Errorf("%d passages of the inner entry, %d of the outer, %d others", deep, outer, plain)
	}
}

// Code stands in one passage with the sentence that introduces it.
func TestHTMLCodeWithItsSentence(t *testing.T) {
	filler := strings.Repeat("This sentence fills the paragraph up. ", 22)
	for _, lines := range []int{3, 20, 80} {
		code := ""
		for i := range lines {
			code += fmt.Sprintf("line %d of the code\n", i)
		}
		d := mustRead(t, "a.html", "<p>"+filler+"To do so, type:<pre>"+code+"</pre><p>After it.", nil)
		found := false
		for _, p := range check(t, d, nil) {
			found = found || strings.Contains(p.Text, "To do so, type:\n\nline 0 of the code\nline 1")
			if strings.HasSuffix(p.Text, ":") {
				t.Errorf("%d lines: cut behind the colon: %q", lines, p.Text)
			}
		}
		if !found {
			t.Errorf("%d lines: the code stands without its sentence", lines)
		}
	}
}
