//go:build unix

package document

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/assay/internal/racetest"
)

// A worst is the input that a format's parser has the most trouble with, for its
// size: n bytes, about, of one kind of trouble.
type worst struct {
	name string // its ending is the format
	make func(t testing.TB, n int) string
}

// repeated gives a text that repeats a piece.
func repeated(name, before, piece, after string) worst {
	return worst{name, func(_ testing.TB, n int) string { return before + strings.Repeat(piece, n/len(piece)) + after }}
}

// numbered repeats a piece that holds a number, another one each time.
func numbered(name, before, piece, after string) worst {
	return worst{name, func(_ testing.TB, n int) string {
		var b strings.Builder
		b.WriteString(before)
		for i := 0; b.Len() < n; i++ {
			fmt.Fprintf(&b, piece, i)
		}
		return b.String() + after
	}}
}

// halves puts a long run of one piece before a long run of another.
func halves(name, before, first, between, second string) worst {
	return worst{name, func(_ testing.TB, n int) string {
		return before + strings.Repeat(first, n/2/len(first)) + between + strings.Repeat(second, n/2/len(second))
	}}
}

// nested opens a piece so many times and closes it again, over and over.
func nested(name, before, open, text, end string, depth int) worst {
	return repeated(name, before, strings.Repeat(open, depth)+text+strings.Repeat(end, depth), "")
}

func inPDF(name, piece string) worst {
	return worst{name, func(_ testing.TB, n int) string {
		return makePDF("BT /F1 12 Tf 14 TL 72 700 Td " + strings.Repeat(piece, n/len(piece)) + " (end) Tj ET")
	}}
}

// inZip repeats a piece inside of a packed document.
func inZip(name string, pack func(testing.TB, string) string, piece string) worst {
	return worst{name, func(t testing.TB, n int) string { return pack(t, strings.Repeat(piece, n/len(piece))) }}
}

func slideOf(t testing.TB, shapes string) string {
	return pptx(t, `<p:sld xmlns:p="p" xmlns:a="a">`+shapes+`</p:sld>`)
}

func inDocx(name, before, piece, after string) worst {
	return worst{name, func(t testing.TB, n int) string {
		return docx(t, before+strings.Repeat(piece, n/len(piece))+after, nil)
	}}
}

var worsts = []worst{
	repeated("sentences.txt", "", "One short sentence. ", ""),
	repeated("one line.txt", "", "word ", ""),
	repeated("one word.txt", "", "x", ""),
	repeated("full stops.txt", "", ".", ""),
	repeated("full stops apart.txt", "", ". ", ""),
	repeated("abbreviations.txt", "", "no. art. v. ", ""),
	repeated("initials.txt", "", "A.", ""),
	repeated("numbers.txt", "", "1. ", ""),
	repeated("brackets.txt", "x.", ")", " End."),
	repeated("lines.txt", "", "line\n", ""),
	repeated("events.ics", "BEGIN:VCALENDAR\n", "BEGIN:VEVENT\nSUMMARY:a\nEND:VEVENT\n", ""),
	repeated("open events.ics", "BEGIN:VCALENDAR\n", "BEGIN:VEVENT\nSUMMARY:a\n", ""),
	repeated("one property.ics", "BEGIN:VCALENDAR\nBEGIN:VEVENT\n", "DTSTART:a\n", ""),
	repeated("folded.vcf", "BEGIN:VCARD\nNOTE;QUOTED-PRINTABLE:", "a=\n", ""),
	repeated("fields.txt", "", "Ab: c\n", ""),
	repeated("blank lines.txt", "x", "\n\n \n", "y"),
	repeated("paragraphs.txt", "", "a\n\n", ""),
	halves("spaces.txt", "x", " ", "y", "\u2028"),
	halves("a word and lines.txt", "", "x", ".\n", "a\n"),
	repeated("letters and spaces.txt", "", "é\u2003", ""),
	repeated("labels.txt", "", "A: b\n", ""),
	repeated("labels in one line.txt", "", "A: b. ", ""),
	repeated("labels alone.txt", "", "A:\n", ""),
	repeated("labels and deeper ones.txt", "", "a:\n b:\n  c:\n", ""),
	repeated("cells.txt", "", "a  1  ", ""),
	repeated("rows.txt", "", "a  1  b\n", ""),
	repeated("rows and rules.txt", "a  b\n", "---\n", ""),
	numbered("articles.txt", "", "Article %d\n", ""),
	repeated("nested marks.txt", "", "1. a\n(a) b\n(i) c\n", ""),
	repeated("questions.txt", "", "a b?\n", ""),
	repeated("headings.txt", "", "ABC\n\nd e f.\n\n", ""),
	repeated("options.txt", "", "-a\n b\n", ""),
	repeated("settings.txt", "", "a = b ; c\n", ""),
	repeated("messages.txt", "", "[10:02] A: b\n", ""),
	repeated("groups.rtf", `{\rtf1 `, `{\b a`, ""),
	repeated("unclosed.tex", `\begin{document}`, `\section{a `, ""),
	repeated("nested.tex", `\begin{document}`, `\footnote{\begin{tabular}{l}a & b \\`, ""),
	repeated("cues.srt", "00:00:01,000 --> 00:00:04,000\na\n", "00:00:01,000 --> 00:00:04,000\nHello.\n\n", ""),
	repeated("nested.xml", "<?xml version='1.0'?>", "<a>b", ""),
	repeated("records.xml", "<?xml version='1.0'?><a>", "<b><c>d</c></b>", "</a>"),
	repeated("codes.rtf", `{\rtf1 `, `\'e4\u8364? \par `, ""),
	repeated("requests.1", ".TH A 1\n", ".TP\n.B a\n.SH B\nb\n", ""),
	repeated("letters of Windows.txt", "", "caf\xe9 \x9a ", ""),

	repeated("paragraphs.md", "", "a\n\n", ""),
	repeated("headings.md", "", "# h\n", "text"),
	repeated("headings and text.md", "", "## h\n\nt\n\n", ""),
	repeated("underlined.md", "", "h\n=\n", "text"),
	halves("a long heading.md", "# ", "x", "\n\n", "a\n\n## b\n\n"),
	halves("a long heading with text.md", "# ", "word ", "\n\n", "text of a passage. \n\n"),
	repeated("quotes in one line.md", "", "> ", "x"),
	halves("quotes and lines.md", "", "> ", "x\n", "a\n"),
	halves("quotes and quotes.md", "", ">", "x\n", ">a\n"),
	halves("nested lists and blank lines.md", "", "- ", "x\n", "\n"),
	halves("nested lists and lines.md", "", "- ", "x\n", "a\n"),
	halves("nested numbers and lines.md", "", "1. ", "x\n", "    a\n"),
	repeated("list items.md", "", "- a\n", ""),
	repeated("list items apart.md", "", "- a\n\n", ""),
	repeated("empty items.md", "", "-\n", "x"),
	repeated("link definitions.md", "", "[a]: b\n", "x"),
	numbered("other link definitions.md", "", "[a%d]: b\n", "x"),
	repeated("open link definitions.md", "", "[a]: b 'c\n", "x"),
	repeated("brackets.md", "", "[", "x"),
	repeated("tables.md", "", "| a | b |\n|---|---|\n| 1 | 2 |\n\n", ""),
	repeated("a long table.md", "| a | b |\n|---|---|\n", "| 1 | 2 |\n", ""),
	repeated("a wide table.md", "", "|a", "|\n|-|\nx"),
	halves("a wide table with rows.md", "", "|a", "|\n", "|-"),
	repeated("no table.md", "", "a | b\n", ""),
	repeated("rules.md", "", "---\n", "text"),
	repeated("fences.md", "", "```\n", "text"),
	repeated("an open fence.md", "```\n", "code\n", ""),
	repeated("tags.md", "", "<div>\n", "text"),
	repeated("open comments.md", "", "<!-- a\n\n", ""),
	repeated("marks in a heading.md", "# ", "*`_", "\n\ntext"),
	repeated("open comments in a heading.md", "# ", "<!--", "\n\ntext"),
	repeated("braces in a heading.md", "# ", " {#a", "\n\ntext"),
	repeated("brackets in a heading.md", "# ", "[a](", "\n\ntext"),
	repeated("metadata.md", "---\na: b\n", "key: value\n", "---\ntext"),
	repeated("a list of metadata.md", "---\na: b\nk: [", "'v', ", "]\n---\ntext"),
	numbered("other lists of metadata.md", "---\na: b\nk:\n", "- v%d\n", "---\ntext"),
	repeated("tabs.md", "", "\t", "x"),
	halves("tabs and lists.md", "", "-\t", "x\n", "\t\t\ta\n"),

	repeated("paragraphs.html", "", "<p>x", ""),
	repeated("closed paragraphs.html", "", "<p>x</p>\n", ""),
	repeated("items.html", "<ul>", "<li>x", "</ul>"),
	repeated("items with paragraphs.html", "<ol>", "<li><p>x</p></li>", "</ol>"),
	repeated("empty items.html", "<ul>", "<li></li>", "<li>x</ul>"),
	repeated("terms.html", "<dl>", "<dt>x", "<dd>y</dl>"),
	repeated("terms and descriptions.html", "<dl>", "<dt>x<dd>y", "</dl>"),
	nested("nested descriptions.html", "", "<dl><dt>x<dd>", "y", "</dl>", 200),
	halves("a long term.html", "<dl><dt>", "word ", "<dd>", "<p>some words"),
	repeated("links in lists.html", "<ul>", "<li><a href=x>y</a>", "</ul>z"),
	repeated("lists of links.html", "z", "<ul><li><a href=x>y</a><li><a href=x>y</a><li><a href=x>y</a></ul>", ""),
	repeated("code with its sentence.html", "", "<p>x:<pre>y</pre>", ""),
	repeated("code after code.html", "<p>x:", "<pre>y</pre>", ""),
	halves("many headers.html", "<table><tr>", "<th>some words", "<tr>", "<td>x"),
	repeated("rows under headers.html", "<table><tr><th>one<th>two", "<tr><td>x<td>y", ""),
	repeated("rows under a long header.html", "<table><tr><th>one<th>"+strings.Repeat("two ", 4000), "<tr><td>x<td>y", ""),
	repeated("cells over many rows.html", "<table><tr><th>one<th>two<tr>", "<td rowspan=9999>x<tr>", ""),
	repeated("cells over many columns.html", "<table><tr><th>one<th>two<tr>", "<td colspan=9999>x", ""),
	repeated("cells.html", "<table><tr>", "<td>x", ""),
	repeated("rows.html", "<table>", "<tr><td>x", ""),
	repeated("headings.html", "", "<h2>h</h2><p>t", ""),
	halves("a long heading.html", "<h1>", "word ", "</h1>", "<p>some words<h2>x</h2>"),
	halves("a long id.html", "<div id='", "x", "'>", "<p>x<h2>y</h2>"),
	repeated("elements of many kinds.html", "", "<p>x</p><div>y</div><section>z</section>", ""),
	nested("nested blocks.html", "", "<div>", "x", "</div>", 400),
	nested("nested items.html", "", "<ul><li>", "x", "</ul>", 200),
	nested("nested tables.html", "", "<table><tr><td>", "x", "</table>", 100),
	repeated("paragraphs deep down.html", strings.Repeat("<div>", 400), "<p>x", ""),
	repeated("empty elements deep down.html", strings.Repeat("<ul><li>", 200), "<b></b>", "x"),
	repeated("headings in headings.html", "", strings.Repeat("<h1><div>", 200)+"some words"+strings.Repeat("</div></h1>", 200), "x"),
	repeated("a long text in headings.html", strings.Repeat("<h1><div>", 200), "some words ", "<p>x"),
	repeated("no text in headings.html", "<p>x</p>"+strings.Repeat("<h1><div>", 200), "<b></b>", ""),
	repeated("unclosed tags.html", "", "<b><p>x", ""),
	repeated("unclosed links.html", "", "<a href=#x>y", ""),
	numbered("unclosed fonts.html", "", "<p><font size=%d>x", ""),
	repeated("fonts and paragraphs.html", "<p>"+fonts(400)+"</p>", "<p>x</p>", ""),
	repeated("a link of many words.html", "<p>x<a href=#x>", "y ", "</a>"),
	repeated("a deep link.html", "<p>x<a href=#x>"+strings.Repeat("<span>", 400), "y ", ""),
	repeated("entities.html", "<p>", "&amp;&lt;&notit;&#65;", ""),
	repeated("ampersands.html", "<p>", "&", ""),
	repeated("spaces.html", "<p>x", " &nbsp;\n", "y"),
	repeated("open angles.html", "<p>", "<", ""),
	repeated("comments.html", "x", "<!-- a -->", ""),
	repeated("an open comment.html", "x<!--", " --", ""),
	repeated("closing tags.html", "x", "</p>", ""),
	repeated("breaks.html", "<p>x", "<br>", "y"),
	repeated("rules.html", "<p>x", "<hr>", "y"),
	numbered("attributes.html", "<p ", "a%d=b ", ">x"),
	numbered("attributes of the root.html", "x", "<body a%d=b>", ""),
	repeated("classes.html", "<p class='", "footnote-x ", "'>x"),
	repeated("preformatted.html", "<pre>", "x\n", ""),
	repeated("notes.html", "", "<p>x<sup><a href=#n>1</a></sup><aside role=doc-footnote>n</aside>", ""),
	repeated("notes outside.html", "<main>x</main>", "<p class=footnotes>n</p>", ""),
	repeated("headers.html", "<p>x", "<header>h</header>", ""),
	repeated("articles.html", "", "<article>x</article>", ""),
	repeated("drawings.html", "x", "<svg><g><title>x</title></g></svg>", ""),
	repeated("templates.html", "x", "<template><p>y</template>", ""),
	repeated("options.html", "x", "<select><option>y</select>", ""),
	repeated("text in tables.html", "<table>", "x<tr>", ""),

	inPDF("words.pdf", "(w) Tj "),
	inPDF("lines.pdf", "(w) Tj T* "),
	inPDF("an array.pdf", "[(w) -20 (o)] TJ "),
	inPDF("one string.pdf", "(wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww) Tj "),
	inPDF("operands.pdf", "1 "),
	inPDF("cells.pdf", "(w) Tj 50 0 Td (v) Tj -50 -14 Td "),
	inPDF("one row.pdf", "50 0 Td (w) Tj "),
	inPDF("turned.pdf", "1 .1 -.1 1 0 0 cm (w) Tj "),
	inPDF("broken words.pdf", "(w-) Tj T* "),
	inPDF("brackets.pdf", "[ "),
	inPDF("saved states.pdf", "q "),
	inPDF("sizes.pdf", "/F1 13 Tf (w) Tj T* /F2 14 Tf "),
	worst{"headings of many sizes.pdf", func(_ testing.TB, n int) string {
		var b strings.Builder
		b.WriteString("BT /F1 10 Tf 14 TL 72 700 Td ")
		for i := 0; b.Len() < n; i++ {
			fmt.Fprintf(&b, "T* /F1 %d.%d Tf (Head %d) Tj /F1 10 Tf T* (t) Tj T* (t) Tj T* (t) Tj T* (t) Tj ", 12+i%3000, i%10, i)
		}
		return makePDF(b.String() + "ET")
	}},
	worst{"pages.pdf", func(_ testing.TB, n int) string {
		pages := make([]string, n/600)
		for i := range pages {
			pages[i] = fmt.Sprintf("BT /F1 12 Tf 72 700 Td (Page %d) Tj ET", i)
		}
		return makePDF(pages...)
	}},

	inDocx("paragraphs.docx", "", para("", run("x")), ""),
	inDocx("runs.docx", "<w:p>", run("x"), "</w:p>"),
	inDocx("text boxes.docx", "", "<w:p>"+run("a")+"<w:txbxContent><w:p>"+run("b")+"</w:p></w:txbxContent>"+run("c")+"</w:p>", ""),
	inDocx("items.docx", "", item(2, 2, "x"), ""),
	inDocx("headings.docx", "", para("berschrift1", run("h"))+para("", run("t")), ""),
	inDocx("cells.docx", "<w:tbl><w:tr>", "<w:tc>"+para("", run("x"))+"</w:tc>", "</w:tr></w:tbl>"),
	inDocx("rows.docx", "<w:tbl>", "<w:tr><w:tc>"+para("", run("x"))+"</w:tc></w:tr>", "</w:tbl>"),
	inDocx("paragraphs of a cell.docx", "<w:tbl><w:tr><w:tc>", para("", run("x")), "</w:tc></w:tr></w:tbl>"),
	inDocx("breaks.docx", "<w:p>", "<w:br/><w:tab/>", run("x")+"</w:p>"),
	inDocx("pages.docx", "", "<w:p><w:lastRenderedPageBreak/>"+run("x")+"</w:p>", ""),
	inDocx("entities.docx", "<w:p><w:t>", "&amp;&#65;", "</w:t></w:p>"),
	worst{"a long heading.docx", func(t testing.TB, n int) string {
		p := para("", run("some words")) + para("Heading2", run("x"))
		return docx(t, para("berschrift1", run(strings.Repeat("word ", n/10)))+strings.Repeat(p, n/2/len(p)), nil)
	}},
	worst{"notes.docx", func(t testing.TB, n int) string {
		var body, notes strings.Builder
		for i := 0; body.Len()+notes.Len() < n; i++ {
			fmt.Fprintf(&body, `<w:p><w:footnoteReference w:id="%d"/>%s</w:p>`, i, run("x"))
			fmt.Fprintf(&notes, `<w:footnote w:id="%d">%s</w:footnote>`, i, run("n"))
		}
		return docx(t, body.String(), map[string]string{"word/footnotes.xml": "<w:footnotes " + wordNS + ">" + notes.String() + "</w:footnotes>"})
	}},
	worst{"a title.docx", func(t testing.TB, n int) string {
		return docx(t, para("", run("x")), map[string]string{"docProps/core.xml": "<p><title>" + strings.Repeat("word<!-- --> ", n/13) + "</title></p>"})
	}},
	worst{"styles.docx", func(t testing.TB, n int) string {
		var styles strings.Builder
		for i := 0; styles.Len() < n/2; i++ {
			fmt.Fprintf(&styles, `<w:style w:styleId="s%d"><w:name w:val="n"/><w:basedOn w:val="s%d"/></w:style>`, i+1, i)
		}
		p := para("s9999", run("x"))
		return docx(t, strings.Repeat(p, n/2/len(p)), map[string]string{"word/styles.xml": "<w:styles " + wordNS + ">" + styles.String() + "</w:styles>"})
	}},
	worst{"files.docx", func(t testing.TB, n int) string {
		parts := map[string]string{}
		for i := range n / 200 {
			parts[fmt.Sprintf("word/media/%d", i)] = "x"
		}
		return docx(t, para("", run("x")), parts)
	}},

	inZip("paragraphs.odt", odt, "<text:p>x</text:p>"),
	inZip("nested lists.odt", odt, strings.Repeat("<text:list><text:list-item>", 50)+"<text:p>x</text:p>"+strings.Repeat("</text:list-item></text:list>", 50)),
	inZip("notes.odt", odt, "<text:p>x<text:note><text:note-body><text:p>n</text:p></text:note-body></text:note></text:p>"),
	inZip("tables.odt", odt, "<table:table><table:table-row><table:table-cell><text:p>x</text:p></table:table-cell><table:table-cell><text:p>y</text:p></table:table-cell></table:table-row></table:table>"),
	worst{"a long table.odt", func(t testing.TB, n int) string {
		row := "<table:table-row><table:table-cell><text:p>x</text:p></table:table-cell><table:table-cell><text:p>y</text:p></table:table-cell></table:table-row>"
		return odt(t, "<table:table>"+strings.Repeat(row, n/len(row))+"</table:table>")
	}},
	inZip("rows.xlsx", func(t testing.TB, sheet string) string { return xlsx(t, sheet, "<si><t>x</t></si>") }, `<row><c t="s"><v>0</v></c><c><v>1</v></c></row>`),
	inZip("strings.xlsx", func(t testing.TB, shared string) string { return xlsx(t, `<row><c t="s"><v>9</v></c></row>`, shared) }, "<si><t>x</t></si>"),
	worst{"cells.xlsx", func(t testing.TB, n int) string {
		cell := `<c t="str"><v>x</v></c>`
		return xlsx(t, "<row>"+strings.Repeat(cell, n/len(cell))+"</row><row>"+strings.Repeat(cell, n/len(cell))+"</row>", "")
	}},
	inZip("shapes.pptx", slideOf, "<p:sp><p:txBody><a:p><a:r><a:t>x</a:t></a:r></a:p></p:txBody></p:sp>"),
	inZip("paragraphs of a shape.pptx", func(t testing.TB, s string) string { return slideOf(t, "<p:sp>"+s+"</p:sp>") }, "<a:p><a:r><a:t>x</a:t></a:r></a:p>"),
	inZip("paragraphs.epub", func(t testing.TB, s string) string { return epub(t, "<html><body>"+s+"</body></html>") }, "<p>x</p>"),
	inZip("empty elements.epub", func(t testing.TB, s string) string {
		return epub(t, "<?xml version='1.0'?><html><body>x"+s+"</body></html>")
	}, "<a id='x'/>"),
	repeated("lines.eml", "Subject: x\r\n\r\n", "word\r\n", ""),
	repeated("heads.eml", "", "To: x@example.com\r\n", "\r\nText."),
	repeated("encoded words.eml", "Subject: x", "\r\n =?utf-8?q?x?=", "\r\n\r\nText."),
	repeated("parts.eml", "Content-Type: multipart/mixed; boundary=B\r\n\r\n", "--B\r\n\r\nText.\r\n", "--B--"),
	repeated("alternatives.eml", "Content-Type: multipart/alternative; boundary=B\r\n\r\n", "--B\r\nContent-Type: text/html\r\n\r\nText.\r\n", "--B--"),
	repeated("open parts.eml", "Content-Type: multipart/mixed; boundary=B\r\n\r\n", "--B\r\nContent-Type: multipart/mixed; boundary=B\r\n\r\n", "x"),
	numbered("records.json", "[{\"id\":0,\"text\":\"x\"}", ",\n{\"id\":\"x%d\",\"text\":\"x\"}", "]"),
	repeated("elements.json", "[{\"text\":\"x\"}", ",\n1", "]"),
	repeated("one record.json", "{\"text\":\"", "word ", "\"}"),
	repeated("brackets.json", "", "[", ""),
	repeated("high bytes.txt", "", "caf\xe9 au lait ", ""),

	numbered("records.csv", "id,text\n", "%d,x\n", ""),
	repeated("blank records.csv", "id,text\n", ",\n", "1,x"),
	repeated("quoted lines.csv", "text\n", "\"a\nb\"\n", ""),
	repeated("one record.csv", "text\n\"", "word, ", "\""),
	repeated("open quotes.csv", "text\n", "\"x\n", ""),
	repeated("bad rows.csv", "text\nx\n", "\"a\nb\" c\n", ""),
	repeated("bad records.jsonl", "{\"text\":\"x\"}\n", "x\n", ""),
	repeated("quotes.csv", "text\n\"", "\"\"", "x\""),
	numbered("columns.csv", "text,", "c%d,", "d\nx\n"),
	worst{"columns and rows.csv", func(_ testing.TB, n int) string {
		var b strings.Builder
		for i := range 200 {
			fmt.Fprintf(&b, "c%d,", i)
		}
		row := strings.Repeat("v,", 200) + "x\n"
		return b.String() + "text\n" + strings.Repeat(row, n/len(row))
	}},

	numbered("records.jsonl", "", "{\"id\":%d,\"text\":\"x\"}\n", ""),
	repeated("blank lines.jsonl", "{\"text\":\"x\"}", "\n", ""),
	repeated("one record.jsonl", "{\"text\":\"", "word ", "\"}"),
	repeated("escapes.jsonl", "{\"text\":\"", "\\u0041\\n\\n", "\"}"),
	repeated("a list of lines.jsonl", "{\"text\":[\"a\"", ",\"b\"", "]}"),
	numbered("keys.jsonl", "{\"text\":\"x\"", ",\"k%d\":1", "}"),
	numbered("values of a key.jsonl", "{\"text\":\"x\",\"k\":[0", ",%d", "]}"),
	repeated("the same key.jsonl", "{\"text\":\"x\"", ",\"k\":1", "}"),
	repeated("deep values.jsonl", "", "{\"text\":\"x\",\"k\":"+strings.Repeat("[", 100)+strings.Repeat("]", 100)+"}\n", ""),
}

func fonts(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "<font size=%d>", i)
	}
	return b.String()
}

// slowest bounds how much longer eight times the input may take: eight times is
// linear, sixty-four is quadratic.
const slowest = 32

var whole = flag.Bool("whole", false, "measure 1 to 8 MB of each worst case, which takes minutes")

// TestLinear holds every format to time that grows as the input does. A
// document that is refused is refused as quickly. With -whole it measures 1 MB
// against 8 MB, with ASSAY_TEST_ALL=1 a 32nd of that, else a 64th.
func TestLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long, and -short was asked for")
	}
	if racetest.On {
		t.Skip("times of the race detector mean nothing")
	}
	unit := 1 << 14
	switch {
	case *whole:
		unit = 1 << 20
	case os.Getenv("ASSAY_TEST_ALL") != "":
		unit = 1 << 15
	}
	for _, w := range worsts {
		t.Run(w.name, func(t *testing.T) {
			small, large := w.make(t, unit), w.make(t, 8*unit)
			const floor = 2 * time.Millisecond // what is quicker is not measured well
			one, eight := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
			for range 5 { // the least counts: a collection of garbage may fall into any
				one = max(floor, min(one, readTime(t, w.name, small, 5*time.Minute)))
				if eight = min(eight, readTime(t, w.name, large, 5*time.Minute)); eight <= slowest*one {
					return
				}
			}
			for n := unit; n <= 8*unit; n *= 2 {
				t.Logf("%8d bytes: %v", n, readTime(t, w.name, w.make(t, n), 5*time.Minute))
			}
			t.Errorf("%d bytes took %v, %d bytes %v or more: %.0f times as long", len(small), one, len(large), eight, float64(eight)/float64(one))
		})
	}
}

// readTime is what reading a document and cutting it into passages takes; it gives
// up after limit.
func readTime(t *testing.T, name, content string, limit time.Duration) time.Duration {
	t.Helper()
	runtime.GC()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	d := Document{Source: name, Path: "/corpus/" + name}
	raw := []byte(content)
	from := cpuTime(t)
	err := parse(ctx, &d, raw, (&LoadOptions{PDFTimeout: time.Hour}).withDefaults())
	if err == nil {
		_, err = Passages(ctx, d, nil)
	}
	used := cpuTime(t) - from
	if ctx.Err() != nil {
		return math.MaxInt64
	}
	if input := new(InputError); err != nil && !errors.As(err, &input) {
		t.Fatal(err)
	}
	return used
}

// cpuTime is what this process has used: others on the machine do not count.
func cpuTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
