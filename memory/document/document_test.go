package document

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"

	"example.com/assay/state"
)

// read parses bytes as Load parses the file of that name.
func read(t testing.TB, name, content string, opts *LoadOptions) (Document, error) {
	t.Helper()
	d := Document{Source: name, Path: "/corpus/" + name}
	err := parse(t.Context(), &d, []byte(content), opts.withDefaults())
	return d, err
}

func mustRead(t testing.TB, name, content string, opts *LoadOptions) Document {
	t.Helper()
	d, err := read(t, name, content, opts)
	if err != nil {
		t.Fatalf("reading %s: %v", name, err)
	}
	return d
}

// within reports whether a block and its cells are spans of a text that cut no character.
func within(text string, b state.Block) bool {
	span := func(from, to int) bool {
		return 0 <= from && from <= to && to <= len(text) && utf8.ValidString(text[from:to])
	}
	return b.Start < b.End && span(b.Start, b.End) && !slices.ContainsFunc(b.Cells, func(c state.Cell) bool { return !span(c.Start, c.End) })
}

// check holds passages to what their documentation promises.
func check(t testing.TB, d Document, opts *SplitOptions) []state.Passage {
	t.Helper()
	ps, err := Passages(t.Context(), d, opts)
	if err != nil {
		t.Fatalf("splitting: %v", err)
	}
	limit := opts.Resolved().Max
	end, ids := 0, map[string]bool{}
	covered := make([]bool, len(d.Text))
	for i, p := range ps {
		switch {
		case p.Start < end || p.End > len(d.Text) || p.Start >= p.End:
			t.Fatalf("passage %d is [%d,%d) after %d in a text of %d bytes", i, p.Start, p.End, end, len(d.Text))
		case d.Text[p.Start:p.End] != p.Text:
			t.Fatalf("passage %d: text differs from its span", i)
		case strings.TrimSpace(p.Text) == "":
			t.Fatalf("passage %d is blank", i)
		case len(p.Text) > limit:
			t.Fatalf("passage %d has %d bytes, over %d", i, len(p.Text), limit)
		case strings.ToValidUTF8(p.Text, "\x00") != p.Text:
			t.Fatalf("passage %d cuts a character: %q", i, p.Text)
		case slices.ContainsFunc(p.Blocks, func(b state.Block) bool { return !within(p.Text, b) }):
			t.Fatalf("passage %d has blocks that its text has not: %+v", i, p.Blocks)
		case ids[p.ID]:
			t.Fatalf("passage %d: id %q again", i, p.ID)
		case p.Source != d.Source:
			t.Fatalf("passage %d: source %q", i, p.Source)
		}
		end, ids[p.ID] = p.End, true
		for j := p.Start; j < p.End; j++ {
			covered[j] = true
		}
	}
	for _, b := range d.Blocks {
		for j, r := range d.Text[b.Start:b.End] {
			if !covered[b.Start+j] && !unicode.IsSpace(r) {
				t.Fatalf("body text at byte %d (%q) is in no passage", b.Start+j, r)
			}
		}
	}
	return ps
}

func TestMarkdownSections(t *testing.T) {
	const src = "---\ntitle: \"Front\"\ntags: a\n---\nIntro before any heading.\n\n# The *Law* of [Torts](x.html) #\n*Sample.*\n\n## Battery\n\nText one.\n\n- item\n- item two\n\nSetext\n------\n\n```go\n# no heading\nx := 1\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n### Deep {#id}\n> # quoted heading\n> quote\n\n# Other\n\n***\n\n[link]: http://example.com\nLast.\n"
	d := mustRead(t, "x/torts.md", src, nil)
	if d.Title != "Front" {
		t.Errorf("title %q", d.Title)
	}
	if d.Text != src || !d.Plain {
		t.Error("the text of markdown is not the file")
	}
	got := ""
	for _, p := range check(t, d, nil) {
		got += fmt.Sprintf("%s: %q\n", p.Section, p.Text)
	}
	want := `: "Intro before any heading."
The Law of Torts: "*Sample.*"
The Law of Torts > Battery: "Text one.\n\n- item\n- item two"
The Law of Torts > Setext: "` + "```go\\n# no heading\\nx := 1\\n```\\n\\n| a | b |\\n|---|---|\\n| 1 | 2 |" + `"
The Law of Torts > Setext > Deep: "> # quoted heading\n> quote"
Other: "[link]: http://example.com\nLast."
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestTitles(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"a/notes.md", "Text.", "notes"},
		{"a.md", "---\ntitle: From meta\n---\nText.", "From meta"},
		{"a.md", "+++\ntitle = 'Toml'\n+++\nText.", "Toml"},
		{"a.md", "---\ntitle: W&I Code § 5600.5\n---\n# Client Records\n\nText.", "W&I Code § 5600.5"},
		{"a.md", "---\ncitation: W&I Code § 5600.5\n---\n# Client Records\n\nText.", "W&I Code § 5600.5"},
		{"a.md", "---\ntitle: Records\ncitation: W&I Code § 5600.5\n---\n# Client Records\n\nText.", "W&I Code § 5600.5, Records"},
		{"a.md", "---\ntitle: Records, W&I Code § 5600.5\ncitation: W&I Code § 5600.5\n---\n# Client Records\n\nText.", "Records, W&I Code § 5600.5"},
		{"a.md", "---\n\nA rule, not metadata: yes.\n\n---\nText.", "a"},
		{"a.md", bomText("# Bom\r\n\r\nText.\r\n"), "Bom"},
		{"b.tar.txt", "Text.", "b.tar"},
		{"c.html", "<title>T &amp; T</title><p>x", "T & T"},
		{"c.html", "<title>T</title><header><h1>H <b>1</b></h1></header><p>x", "H 1"},
		{"d.jsonl.gz", gz(`{"id":1,"text":"x"}`), "d"},
	} {
		if d := mustRead(t, c.name, c.src, nil); d.Title != c.want {
			t.Errorf("%s %q: title %q, want %q", c.name, c.src, d.Title, c.want)
		}
	}
}

func bomText(s string) string { return bom + s }

func gz(s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(s)); err != nil {
		panic(err)
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.String()
}

func TestHTML(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"<p>un<b>believ</b>able <i>a</i> <i>b</i><i>c</i></p>", "unbelievable a bc"},
		{"<p>one</p><p>two</p>", "one\n\ntwo"},
		{"one<br>two<p>three", "one\ntwo\n\nthree"},
		{"<nav>n</nav><script>s</script><style>s</style><footer>f</footer><aside>a</aside><header>h</header><div hidden>x</div><div style='display: none'>x</div><p>body", "body"},
		{"<main><header><h1>T</h1></header><p>in</p></main><p>out</p>", "T\n\nin"},
		{"<article><p>in all of it</p></article><div>out</div>", "in all of it"},
		{"<main><p>in</main><div>What stands outside of the main part, and says something.</div>", "in\n\nWhat stands outside of the main part, and says something."},
		{"<main><p>in</main><div>A way to <a href=a>all of the pages that there are about this</a></div>", "in"},
		{"<h1>Manual</h1><p>It is bled every autumn.<div><article>Read next</article></div><p>Five years.", "Manual\n\nIt is bled every autumn.\n\nRead next\n\nFive years."},
		{"<header><h1>Fees</h1><p>From May.</header><header><a href=a>Home of all</a> of us</header><p>x<aside><h3>Hours</h3><p>Monday to Friday from 9:00 to 17:00 at the counter.</aside>", "Fees\n\nFrom May.\n\nx\n\nHours\n\nMonday to Friday from 9:00 to 17:00 at the counter."},
		{"<p>x<aside><article>news of today</article></aside><p>y", "x\n\ny"},
		{"<div class=nav><a href=a>Home</a> | <a href=b>Fares</a> | <a href=c>Contact</a></div><p>x", "x"},
		{"<p>5&times;10<sup>6</sup>, 10<sup>-4</sup>, 3<sup>1</sup>&frasl;<sub>4</sub>, CO<sub>2</sub>, 1<sup>st</sup>, 10<sub>2</sub>, a year.<sup>12</sup>", "5×10⁶, 10⁻⁴, 3¹⁄₄, CO2, 1st, 10₂, a year.¹²"},
		{"<p><math><mfrac><mn>3</mn><mn>100</mn></mfrac></math> of <math><msup><mi>x</mi><mn>2</mn></msup><annotation>x^2</annotation></math>", "3/100 of x²"},
		{"<p>for <del>250</del> <ins>175</ins> euros, <ruby>漢字<rt>かんじ</rt></ruby>", "for 175 euros, 漢字"},
		{"<article>1</article><article>2</article>", "1\n\n2"},
		{"<ul><li>a<ul><li>b</li></ul><li><p>c</p><li></li></ul>", "- a\n- b\n- c"},
		{"<table><tr><th>k<th>v<tr><td><p>1</p><td>2<br>3<tr><td></td></table>", "k; v\n\n1; v: 2 3"},
		{"<table><tr><td>1<td>2<tr><td>3<td></table>", "| 1 | 2 |\n| 3 |  |"},
		{"<pre>x\n  y\n\nz</pre>", "x\n  y\n\nz"},
		{"<p>a&nbsp;&nbsp;b soft\u00adhyphen<span> c</span></p>", "a b softhyphen c"},
		{"<h2>A</h2>x<h3>B</h3>y", "A\n\nx\n\nB\n\ny"},
		{"<meta charset=latin1><p>caf\xe9", "café"},
	} {
		d, err := read(t, "p.html", c.src, nil)
		if err != nil {
			t.Errorf("%s: %v", c.src, err)
			continue
		}
		if got := strings.TrimSpace(d.Text); got != c.want {
			t.Errorf("%s\n got %q\nwant %q", c.src, got, c.want)
		}
		check(t, d, nil)
	}
	ps := check(t, mustRead(t, "p.htm", "<h1>Law</h1><p>intro<h2>Torts</h2><p>body<h2> </h2><p>rest", nil), nil)
	got := ""
	for _, p := range ps {
		got += p.Section + "|" + p.Text + "\n"
	}
	if got != "Law|intro\nLaw > Torts|body\nLaw|rest\n" {
		t.Errorf("sections: %q", got)
	}
}

func TestRecords(t *testing.T) {
	long := strings.Repeat("A sentence of some length stands here. ", 60)
	d := mustRead(t, "r.jsonl", `{"_id":"a","doc_id":7,"title":"T","contents":"`+long+`"}
{"_id":"b","contents":"short","title":null}

{"_id":"c","contents":"  "}
{"_id":12,"contents":["one","two"]}`, nil)
	ps := check(t, d, nil)
	if d.Skipped != 1 {
		t.Errorf("%d records skipped", d.Skipped)
	}
	got := ""
	for _, p := range ps {
		got += fmt.Sprintf("%s/%s/%s/%d ", p.ID, p.Doc, p.Title, p.Line)
	}
	if want := "a/7/T/1 a~2/7/T/1 a~3/7/T/1 b/b//2 12/12//5 "; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if last := ps[len(ps)-1].Text; last != "one\ntwo" {
		t.Errorf("a list of lines became %q", last)
	}

	csv := mustRead(t, "r.csv", "id;body;title\r\n1;\"a \"\"quoted\"\"; field\r\n\r\nof two\";T\r\n2;b;\r\n", nil)
	ps = check(t, csv, nil)
	if len(ps) != 2 || ps[0].Text != "a \"quoted\"; field\n\nof two" || ps[0].Title != "T" || ps[1].Line != 5 {
		t.Errorf("csv: %+v", ps)
	}
	tsv := mustRead(t, "r.tsv", "x\ty\nhello, you\tz\n", &LoadOptions{TextField: "x", IDField: "y"})
	if ps = check(t, tsv, nil); len(ps) != 1 || ps[0].ID != "z" || ps[0].Text != "hello, you" {
		t.Errorf("tsv: %+v", ps)
	}
	if ps = check(t, mustRead(t, "n.jsonl", `{"text":"no id"}`, nil), nil); ps[0].ID != "n.jsonl:1" {
		t.Errorf("id without an id field: %q", ps[0].ID)
	}
}

func TestInputErrors(t *testing.T) {
	for _, c := range []struct {
		name, src string
		opts      *LoadOptions
		line      int
		field     string
		want      string // in the message
	}{
		{"a.md", "", nil, 0, "", "empty"},
		{"a.md", "# Only\n\n## headings\n", nil, 0, "", "no text"},
		{"a.txt", " \n\t\n", nil, 0, "", "no text"},
		{"a.txt", "one\ntwo\x00", nil, 2, "", "binary"},
		{"a.txt", "один два ö \xe9\n", nil, 1, "", "byte 0xE9 at offset"},
		{"disk", "\x7fELF\x02\x01\x01", nil, 0, "", "it is a program"},
		{"index.js", "var a=" + strings.Repeat(`{"x":[1,2],"why":"not"},`, 200), nil, 0, "", "packed into long lines"},
		{"picture", "\x89PNG\r\n\x1a\n\x00", nil, 0, "", "it is a picture"},
		{"data.bin", "one\x00two", nil, 0, "", "it is binary"},
		{"a.txt", "\xff\xfea\x00\x00\xd8b", nil, 0, "", "not whole text in utf-16le"},
		{"a.ods", "PK", nil, 0, "", "supported are .md"},
		{"a.docx.gz", gz("x"), nil, 0, "", "decompress"},
		{"a.md.gz.gz", gz("x"), nil, 0, "", "decompress"},
		{"a.jsonl.gz", "no gzip", nil, 0, "", "gzip"},
		{"a.jsonl.gz", gz(strings.Repeat(" ", 5000)), &LoadOptions{MaxFileBytes: 4000}, 0, "", "unpacks to more"},
		{"a.pdf", "not one", nil, 0, "", "%PDF-"},
		{"a.pdf", "%PDF-1.4\nbroken", nil, 0, "", "broken"},
		{"a.jsonl", "[1]", nil, 1, "", "JSON array"},
		{"a.jsonl", "null", nil, 1, "", "null"},
		{"a.jsonl", `{"text":"x"}`, &LoadOptions{IDField: "uid"}, 1, "uid", "it has: text"},
		{"a.jsonl", `{"text":{"x":1}}`, nil, 1, "text", "an object"},
		{"a.jsonl", `{"text":"` + strings.Repeat("x", 99) + `"}`, &LoadOptions{MaxRecordBytes: 50}, 1, "", "the limit is 50"},
		{"a.jsonl", `{"text":""}`, nil, 0, "text", "none of its 1 records"},
		{"a.jsonl", "\n\n", nil, 0, "", "no records"},
		{"a.csv", "id,text\n1,\"x\n", nil, 2, "", "quote"},
		{"a.csv", "id,text\n1,\"" + strings.Repeat("x\n", 99), &LoadOptions{MaxRecordBytes: 60}, 2, "", "quote"},
		{"a.csv", "id,id,text\n1,2,3\n", nil, 1, "id", "two columns"},
		{"a.txt", "short\n" + strings.Repeat("x", 51), &LoadOptions{MaxRecordBytes: 50}, 2, "", "the line is 51 bytes long, the limit is 50"},
		{"a.html", "<p>" + strings.Repeat("x", 51), &LoadOptions{MaxRecordBytes: 50}, 1, "", "the limit is 50"},
		{"a.csv", "a,b\n1,2\n", &LoadOptions{TextField: "c"}, 1, "c", "it has: a, b"},
	} {
		_, err := read(t, c.name, c.src, c.opts)
		var in *InputError
		if !errors.As(err, &in) {
			t.Errorf("%s %.40q: %v is no InputError", c.name, c.src, err)
			continue
		}
		if in.Line != c.line || in.Field != c.field || !strings.Contains(in.Error(), c.want) || in.Hint == "" {
			t.Errorf("%s %.40q: line %d field %q: %v; want line %d field %q and %q", c.name, c.src, in.Line, in.Field, in, c.line, c.field, c.want)
		}
	}
}

func encoded(e encoding.Encoding, s string) string {
	out, err := e.NewEncoder().String(s)
	if err != nil {
		panic(err)
	}
	return out
}

// Files are read as what they hold, whatever their name.
func TestKinds(t *testing.T) {
	page := ".\\\" a comment\n.TH KEEP 1 2026\n.SH NAME\nkeep \\- hold a lamp\n.SH OPTIONS\n.TP\n\\fB\\-v\\fR, \\fB\\-\\-verbose\\fR\nSay more.\n"
	for _, c := range []struct{ name, src, format, want string }{
		{"LICENSE-2.0", "The licence of the lamp.", "txt", "The licence of the lamp."},
		{"app.conf", "port = 25", "txt", "port = 25"},
		{"page", "<!doctype html><p>Hello.", "html", "Hello."},
		{"letter", "Message-ID: <1@x>\nSubject: Lamp\n\nIt burns.", "eml", "Subject: Lamp\n\nIt burns."},
		{"keep.1", page, "man", "keep - hold a lamp"},
		{"keep.1.gz", gz(page), "man", "keep - hold a lamp"},
		{"letter.rtf", `{\rtf1\ansi\ansicpg1250{\fonttbl{\f0 Arial;}}\f0 Dvo\'f8\'e1k, 5 \u8364?\par Next.}`, "rtf", "Dvořák, 5 €\n\nNext."},
		{"letter.txt", `{\rtf1 Plain {\*\generator x}text.}`, "rtf", "Plain text."},
		{"a.tex", "% no\n\\documentclass{article}\n\\title{B\\\"ucker \\& Co.}\n\\begin{document}\n\\section*{Fees}\\label{f}\nIt costs 5\\% more \\cite{k}, \\underline{never} ``free''.\n\\begin{itemize}\n\\item One\\footnote{Left.}\n\\end{itemize}\n\\begin{tabular}{lr} \\hline\nPen & 1 \\\\ \\cline{1-2}\nInk & 2 \\\\\n\\end{tabular}\n\\end{document}\nnot", "tex",
			"It costs 5% more, never “free”.\n\n- One (Left.)\n\nPen  |  1\n---|---\nInk  |  2"},
		{"names.tex", "Fran\\c{c}ois Garc\\'{\\i}a, Mar\\'\\ia and {\\v S}imek", "tex", "François García, María and Šimek"},
		{"talk.tex", "\\frametitle{Wind}\n\\begin{itemize}\n\\item<1-> Gusts peak.\n\\end{itemize}", "tex", "- Gusts peak."},
		{"make.txt", "print(r'\\documentclass{article}', 5 % 2)", "txt", "print(r'\\documentclass{article}', 5 % 2)"},
		{"paper", "\\documentclass{article}\n\\begin{document}\n\\section{Unclosed\nText {x.\n\\end{document}", "tex", "Unclosed\nText x."},
		{"talk.srt", "1\r\n00:00:01,000 --> 00:00:04,000\r\nThe stones go\r\nthirty <i>deep</i>.\r\n\r\n2\r\n00:00:04,500 --> 00:00:09,000\r\nNever use mortar.\r\n", "subtitles", "The stones go thirty deep. Never use mortar."},
		{"talk.vtt", "WEBVTT\n\n00:01.000 --> 00:04.000\nHello.\n", "subtitles", "Hello."},
		{"talk.srt", "No times.", "txt", "No times."},
		{"news.rss", "<?xml version='1.0' encoding='ISO-8859-1'?><rss><channel><title>Pier</title><item><title>Fees</title><pubDate>2 May</pubDate><description>A berth costs &lt;b&gt;12&lt;/b&gt; \xa3 a night.</description></item></channel></rss>", "xml", "pub date: 2 May\n\nA berth costs 12 £ a night."},
		{"set.conf", "<server port='80' host='a'><idleTime unit='s'>30</idleTime><on/><user name='ines'/></server>", "xml", "port: 80; host: a\nidle time: 30; unit: s\nuser name: ines"},
		{"bees.xml", "<a><title>Bees</title><s><title>Swarms</title><para kind='x'>It leaves with the <em>old</em> queen, see <b>Hive</b><b>Queens</b>.</para></s></a>", "xml", "It leaves with the old queen, see Hive Queens."},
		{"cut.xml", "<?xml version='1.0'?><a><b>Cut off", "txt", "<?xml version='1.0'?><a><b>Cut off"},
		{"sum.txt", "<b> is less than <c>", "txt", "<b> is less than <c>"},
	} {
		d := mustRead(t, c.name, c.src, nil)
		if ps := check(t, d, nil); d.Format != c.format || ps[0].Text != c.want {
			t.Errorf("%s: %s %q", c.name, d.Format, ps[0].Text)
		}
	}
	d := mustRead(t, "keep.1", page, nil)
	if got := told(d); d.Title != "keep(1)" || got != "definition @keep: keep - hold a lamp\ndefinition @-v, --verbose: -v, --verbose Say more." {
		t.Errorf("%s: %s", d.Title, got)
	}
}

// Calendars and address books are records of fields.
func TestCards(t *testing.T) {
	const calendar = "BEGIN:VCALENDAR\r\nPRODID:x\r\nBEGIN:VTIMEZONE\r\nTZID:Berlin\r\nBEGIN:STANDARD\r\nDTSTART:19961027T030000\r\nRRULE:FREQ=YEARLY\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\n" +
		"BEGIN:VEVENT\r\nUID:1\r\nDTSTART;TZID=\"Berlin\":20261204T093000\r\nDTEND;TZID=Berlin:20261204T101500\r\nSUMMARY:Dentist\r\n  Lena\r\n" +
		"LOCATION:Praxis Moor\\, Hafenstr. 4\r\nDESCRIPTION:Bring\\n\\nthe card\r\nATTENDEE;CN=\"Moor: L.\":mailto:l@x\r\nBEGIN:VALARM\r\nDESCRIPTION:Reminder\r\nEND:VALARM\r\nEND:VEVENT\r\nBEGIN:VTODO\r\nSUMMARY:Taxes\r\nDUE:20270105\r\nEND:VCALENDAR"
	event := func(lines string) string {
		return "BEGIN:VCALENDAR\nBEGIN:VEVENT\n" + lines + "\nEND:VEVENT\nEND:VCALENDAR"
	}
	for _, c := range []struct{ name, src, want string }{
		{"a.ics", calendar, "a.ics:1 Dentist Lena: When: Friday 4 December 2026, 09:30 to 10:15 (Berlin)\nSummary: Dentist Lena\nLocation: Praxis Moor, Hafenstr. 4\nDescription: Bring\nthe card\nAttendee: Moor: L. | a.ics:2 Taxes: Summary: Taxes\nDue: Tuesday 5 January 2027"},
		{"a.ics", event("DTSTART;VALUE=DATE:20261224\nDTEND;VALUE=DATE:20261225\nSTATUS:CANCELLED"), "a.ics:1 a: When: Thursday 24 December 2026 (cancelled)\nStatus: CANCELLED"},
		{"a.ics", event("DTSTART;VALUE=DATE:20261224\nDTEND;VALUE=DATE:20261227"), "a.ics:1 a: When: Thursday 24 December 2026 to Saturday 26 December 2026"},
		{"a.ics", event("DTSTART:20261224T230000Z\nDTEND:20261225T010000Z"), "a.ics:1 a: When: Thursday 24 December 2026, 23:00 UTC to Friday 25 December 2026, 01:00 UTC"},
		{"a.ics", event("DTSTART:soon"), "a.ics:1 a: When: soon"},
		{"people", "BEGIN:VCARD\nFN;ENCODING=QUOTED-PRINTABLE;CHARSET=UTF-8:Ren=C3=\n=A9 Moor\nitem1.TEL;CELL:tel:+47 912\nADR:;;Kai 4;Kiel;;;\nBDAY;X-APPLE-OMIT-YEAR=1604:1604-03-12\nPHOTO:AAAA\nEND:VCARD", "people:1 René Moor: Name: René Moor\nPhone number (cell): +47 912\nAddress: Kai 4, Kiel\nBirthday: 12 March"},
		{"c.vcf", "\xff\xfe" + strings.Join(strings.Split("BEGIN:VCARD\nFN:Ana\n", ""), "\x00") + "\x00", "c.vcf:1 Ana: Name: Ana"},
		{"b.vcf", "no card", "b.vcf#0-7 b: no card"},
	} {
		var got []string
		for _, p := range check(t, mustRead(t, c.name, c.src, nil), nil) {
			got = append(got, p.ID+" "+p.Title+": "+p.Text)
		}
		if s := strings.Join(got, " | "); s != c.want {
			t.Errorf("%s: %q\nwant %q", c.name, s, c.want)
		}
	}
	var in *InputError
	if _, err := read(t, "a.vcf", "BEGIN:VCARD\nPHOTO:AAAA\nEND:VCARD", nil); !errors.As(err, &in) {
		t.Errorf("without a field: %v", err)
	}
}

func TestEncodings(t *testing.T) {
	wide := func(s string, low, high int) string {
		var b strings.Builder
		for _, r := range "\ufeff" + s {
			b.WriteByte(byte(r >> low))
			b.WriteByte(byte(r >> high))
		}
		return b.String()
	}
	for _, c := range []struct{ name, src, want, encoding string }{
		{"a.txt", wide("Größe и мир", 0, 8), "Größe и мир", "utf-16le"},
		{"a.md", wide("# Größe\n\nEine Zeile.", 8, 0), "Eine Zeile.", "utf-16be"},
		{"a.txt", "Gr\xf6\xdfe \x96 \x84caf\xe9\x93 von Paris", "Größe – „café“ von Paris", "windows-1252"},
		{"a.csv", "text\ncaf\xe9 au lait\n", "café au lait", "windows-1252"},
		{"a.jsonl", "{\"text\":\"caf\xe9 au lait\"}", "café au lait", "windows-1252"},
		{"a.html", "<p>caf\xe9 au lait", "café au lait", ""},
		{"a.html", "<?xml version='1.0' encoding='ISO-8859-2'?><html><body><p>\xb1 zim\xb1", "ą zimą", ""},
		{"a.html", wide("<p>Größe и мир", 0, 8), "Größe и мир", ""},
		{"a.txt.gz", gz("Gr\xf6\xdfe" + " und mehr als das"), "Größe und mehr als das", "windows-1252"},
		{"a.txt", "Größe", "Größe", ""},
		{"a.txt", encoded(charmap.ISO8859_2, "Proszę zamknąć drzwi i oddać klucz. Parking jest płatny."), "Proszę zamknąć drzwi i oddać klucz. Parking jest płatny.", "iso-8859-2"},
		{"a.txt", encoded(charmap.Windows1250, "Dobrý den, zítra přijdu v šest hodin večer. Žádný klíč."), "Dobrý den, zítra přijdu v šest hodin večer. Žádný klíč.", "windows-1250"},
		{"a.txt", encoded(charmap.Windows1251, "Ключ от мастерской находится у дежурного."), "Ключ от мастерской находится у дежурного.", "windows-1251"},
		{"a.txt", encoded(charmap.KOI8R, "Ключ от мастерской находится у дежурного."), "Ключ от мастерской находится у дежурного.", "koi8-r"},
		{"a.txt", encoded(charmap.Macintosh, "Le café ouvre à huit heures, chez l’huissier."), "Le café ouvre à huit heures, chez l’huissier.", "macintosh"},
		{"a.txt", encoded(charmap.Macintosh, "Die Schlüssel hängen über der Tür."), "Die Schlüssel hängen über der Tür.", "macintosh"},
		{"a.txt", encoded(charmap.Windows1252, "La señora López está aquí. ¿Qué año?"), "La señora López está aquí. ¿Qué año?", "windows-1252"},
		{"a.txt", encoded(japanese.ShiftJIS, "有給休暇は入社後六か月で十日間付与される。"), "有給休暇は入社後六か月で十日間付与される。", "shift_jis"},
	} {
		d := mustRead(t, c.name, c.src, nil)
		ps := check(t, d, nil)
		if len(ps) != 1 || ps[0].Text != c.want || d.Metadata["encoding"] != c.encoding || d.Plain != (d.Text == c.src) {
			t.Errorf("%s %q: %+v", c.name, c.src, ps)
		}
	}
}

// A record that cannot be read is lost alone, and said.
func TestLostRecords(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"a.jsonl", "{\"text\":\"x\"}\n{\"text\":\n{\"text\":\"y\"}", "a.jsonl:2: it is not a JSON object"},
		{"a.jsonl", "nonsense\n{\"text\":\"x\"}\n{\"text\":\"y\"}", "a.jsonl:1: it is not a JSON object"},
		{"a.jsonl", "{\"text\":\"x\"}\n{\"title\":\"x\"}\n{\"text\":\"y\"}", "a.jsonl:2: field \"text\": the record lacks it"},
		{"a.jsonl", "{\"id\":\"q\",\"text\":\"x\"}\n\n{\"id\":\"q\",\"text\":\"z\"}\n{\"id\":\"r\",\"text\":\"y\"}", "a.jsonl:3: field \"id\": the id \"q\" is also that of line 1"},
		{"a.jsonl", "{\"id\":\"q\",\"text\":\"x\"}\n{\"text\":\"y\"}\n{\"id\":\"r\",\"text\":\"y\"}", "a.jsonl:2: field \"id\": the record has no id"},
		{"a.jsonl", "{\"text\":\"x\"}\n{\"text\":\"ö\xff\"}\n{\"text\":\"y\"}", "a.jsonl:2: byte 0xFF is not UTF-8"},
		{"a.jsonl", "{\"text\":\"x\"}\n{\"text\":\"" + strings.Repeat("z", 200) + "\"}\n{\"text\":\"y\"}", "a.jsonl:2: the record is 211 bytes long"},
		{"a.csv", "id,text\n1,x\n2,y,z\n3,y\n", "a.csv:3: the row has another number of fields"},
		{"a.csv", "id,text\n1,x\n1,z\n3,y\n", "a.csv:3: field \"id\": the id \"1\" is also that of line 2"},
		{"a.csv", "id,text\n1,x\n2,\"open\n3,y\n", "a.csv:3: extraneous or missing"},
		{"a.csv", "id,text\n1,x\n2,\"open\" z\n3,y\n", "a.csv:3: extraneous or missing"},
		{"a.csv", "id,text\n1,x\n2,ö\xff\n3,y\n", "a.csv:3: byte 0xFF is not UTF-8"},
		{"a.csv", "id,text\n1,x\n2," + strings.Repeat("z", 200) + "\n3,y\n", "a.csv:3: the record is longer than 150 bytes"},
	} {
		d, err := read(t, c.name, c.src, &LoadOptions{MaxRecordBytes: 150})
		if err != nil || d.LostRecords != 1 || len(d.Lost) != 1 || !strings.HasPrefix(d.Lost[0], c.want) {
			t.Errorf("%s %q: lost %d, %q, %v", c.name, c.src, d.LostRecords, d.Lost, err)
			continue
		}
		ps := check(t, d, nil)
		if len(ps) != 2 || ps[0].Text != "x" || ps[1].Text != "y" {
			t.Errorf("%s %q: %+v", c.name, c.src, ps)
		}
	}
	d := mustRead(t, "a.jsonl", "{\"text\":\"x\"}\n"+strings.Repeat("nonsense\n", 50), nil)
	if d.LostRecords != 50 || len(d.Lost) != mostLost {
		t.Errorf("%d lost, %d said", d.LostRecords, len(d.Lost))
	}
}

func TestLoadFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.txt")
	if err := os.WriteFile(path, []byte("Hello."), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := Load(t.Context(), path, "a.txt", nil)
	if err != nil || d.Path != path || d.Hash != "2d8bd7d9bb5f85ba643f0110d50cb506a1fe439e769a22503193ea6046bb87f7" {
		t.Errorf("%+v, %v", d, err)
	}
	if h, err := HashFile(t.Context(), path, nil); err != nil || h != d.Hash {
		t.Errorf("hash %q, %v", h, err)
	}
	_, err = Load(t.Context(), filepath.Join(dir, "none.txt"), "x", nil)
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
	for _, p := range []string{"none.txt", "."} {
		var in *InputError
		if _, err := Load(t.Context(), filepath.Join(dir, p), "x", nil); !errors.As(err, &in) {
			t.Errorf("%s: %v", p, err)
		}
	}
	if _, err := Load(t.Context(), path, "x", &LoadOptions{MaxFileBytes: 3}); err == nil || !strings.Contains(err.Error(), "longer than 3 bytes") {
		t.Errorf("limit: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Load(ctx, path, "x", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	// A file is hashed without being held in memory.
	large := filepath.Join(dir, "large.txt")
	if err := os.WriteFile(large, bytes.Repeat([]byte("0123456789abcdef"), 4<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := HashFile(t.Context(), large, nil); err != nil {
		t.Error(err)
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 4<<20 {
		t.Errorf("hashing 64 MB took %d bytes of memory", used)
	}
	// A file of an unknown kind is refused by its name, however large it is.
	big := filepath.Join(dir, "disk.iso")
	f, err := os.Create(big)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Truncate(1<<40), f.Close()); err != nil {
		t.Skip("no sparse files here")
	}
	if _, err := Load(t.Context(), big, "x", nil); err == nil || !strings.Contains(err.Error(), "not supported") {
		t.Errorf("disk image: %v", err)
	}
}

// A line of many megabytes without a sentence, and one without a space.
func TestLongLine(t *testing.T) {
	n := 4 << 20
	for _, word := range []string{"wörter ", "ö", "x"} {
		d := mustRead(t, "long.txt", strings.Repeat(word, n/len(word)), nil)
		ps := check(t, d, nil)
		if want := n / 1200; len(ps) < want || len(ps) > 3*want {
			t.Errorf("%q: %d passages", word, len(ps))
		}
		for _, p := range ps[:100] {
			if word == "wörter " && (!strings.HasPrefix(p.Text, "w") || !strings.HasSuffix(p.Text, "r")) {
				t.Fatalf("cut inside a word: %.20q … %q", p.Text, p.Text[len(p.Text)-8:])
			}
		}
	}
}

// Passages of random documents, in every format that is written by hand, keep
// their promises with every size.
func TestPassagesProperty(t *testing.T) {
	const seed = 7
	rng := rand.New(rand.NewPCG(seed, seed))
	pieces := []string{"Word ", "wörter ", "A sentence. ", "Is it? ", "\n", "\n\n", "# Head\n", "\n## Two\n", "- item\n", "1. one\n", "| a | b |\n", "```\n", "> q\n", "***\n",
		"    code\n", "e.g. ", "12.5 ", "“q” ", "\t", "\r\n", "Under\n===\n", "[a]: b\n", "<p>", "</p>", "<table><tr><td>", "<li>", "<h2>x</h2>", "<pre>", "&nbsp;", strings.Repeat("long ", 80), "\u2028", "日本語"}
	for i := range 400 {
		var b strings.Builder
		for range 1 + rng.IntN(60) {
			b.WriteString(pieces[rng.IntN(len(pieces))])
		}
		opts := &SplitOptions{Target: 1 + rng.IntN(400), Max: 64 + rng.IntN(400)}
		for _, name := range []string{"p.md", "p.txt", "p.html"} {
			d, err := read(t, name, b.String(), nil)
			if err != nil {
				var in *InputError
				if !errors.As(err, &in) {
					t.Fatalf("seed %d case %d %s: %v", seed, i, name, err)
				}
				continue
			}
			if d.Plain != (name != "p.html") {
				t.Fatal("plain")
			}
			check(t, d, opts)
		}
	}
}
