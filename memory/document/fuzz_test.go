package document

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// fuzz checks that any bytes under a name are a document whose passages keep
// their promises, or an InputError, which no fault of our own readers is.
func fuzz(f *testing.F, name string, seeds ...string) {
	for _, s := range seeds {
		f.Add(s, uint16(900), uint16(1200))
	}
	f.Fuzz(func(t *testing.T, content string, target, limit uint16) {
		d, err := read(t, name, content, &LoadOptions{PDFTimeout: 2 * time.Second, MaxFileBytes: 4 << 20})
		if err != nil {
			var in *InputError
			if !errors.As(err, &in) {
				t.Fatalf("%v is no InputError", err)
			}
			if strings.Contains(in.Msg, readerFailed) && name != "a.pdf" { // a library reads those
				t.Fatal(err)
			}
			return
		}
		if d.Plain && d.Text != content {
			t.Fatal("plain text differs from the file")
		}
		if len(check(t, d, &SplitOptions{Target: int(target), Max: int(limit)})) == 0 {
			t.Fatal("a document without passages is no error")
		}
	})
}

func FuzzMarkdown(f *testing.F) {
	fuzz(f, "a.md", "# A\n\ntext", "---\nx: y\n---\nt", "a\n===\n> # q\n- b\n\n  c\n", "[a]: b\n\n#\n\n```\nx", "| a |\n|-|\n| b |", "\xef\xbb\xbf# x\r\ny", "\t- x\n # y\n  z\n--", "<div>\n# x\n\n# y")
}
func FuzzPlain(f *testing.F) {
	fuzz(f, "a.txt", "One. Two.\n\nThree", " \u2028 x", "A: b  C: d. E: f\n[a]\nk = v ; w", "Q: a?\nA: b", "1. A\n (i) b\n§ 2 C", "x:\n\n(1)\n\n(a)\n\nx", "A   B\n1   2\n\n3   4", "**A** - b\n\n\"A\" means b c\n[1:02] A: b")
}
func FuzzRTF(f *testing.F) {
	fuzz(f, "a.rtf", `{\rtf1\ansi\ansicpg1250{\fonttbl{\f0 A;}}Dvo\'f8\u8364?\par{\*\x y}z\bin3 abc}`)
}

func FuzzTeX(f *testing.F) {
	fuzz(f, "a.tex", "\\title{T}\\begin{document}\\section{A {b}}\\'e\\item[x]\\begin{tabular}{l}a&b\\\\\\end{tabular}$x$%c\n\\footnote{")
}

func FuzzXML(f *testing.F) {
	fuzz(f, "a.xml", "<?xml version='1.0' encoding='latin1'?><a b='c'><title>T</title><d>e <i>f</i> g.</d><h>&lt;p&gt;x&lt;/p&gt;</h></a>", "<a 0\x8cA></a>")
}

func FuzzSubtitles(f *testing.F) {
	fuzz(f, "a.srt", "1\n00:00:01,000 --> 00:00:04,000\n<i>Hello</i>.\n\n2\n00:01:01,000 --> 00:01:04,000\n{\\an8}You.\n")
}
func FuzzManual(f *testing.F) {
	fuzz(f, "a.1", ".TH A 1\n.SH NAME\na \\- b\n.TP\n\\fB-v\\fR\nx", ".Dd May\n.Sh NAME\n.Nm a\n.Bl\n.It Fl v Ar x\ny\n.El", ".Dd x\n.It Fl v \"\"\ny")
}
func FuzzCards(f *testing.F) {
	fuzz(f, "a.ics", "BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:a\nDTSTART:20260102T1000\nEND:VEVENT", "BEGIN:VCARD\nFN;ENCODING=QUOTED-PRINTABLE:=C3=\n=A9\nTEL;TYPE=\"a:b\":1\n 2")
}
func FuzzHTML(f *testing.F) {
	fuzz(f, "a.html", "<h1>a</h1><p>b", "<table><tr><td>x<ul><li><pre>y", "<li><table><h2>z</h2>", "<main></main><p>x", "<svg><title>t</title></svg>x")
}
func FuzzPDF(f *testing.F) { fuzz(f, "a.pdf", makePDF("BT /F1 12 Tf 72 700 Td (text) Tj ET")) }
func FuzzCSV(f *testing.F) {
	fuzz(f, "a.csv", "id,text\n1,x\n", "text|id\n\"a\nb\"|2", "text\n\"\"\n x")
}
func FuzzJSONL(f *testing.F) {
	fuzz(f, "a.jsonl", `{"id":"1","text":"x"}`, "{\"text\":[\"a\",\"b\"]}\n\n{\"text\":\"\"}")
}
func FuzzJSON(f *testing.F) {
	fuzz(f, "a.json", `[{"id":"1","text":"x"}, 2]`, `{"text":"x"} {"text":"y"}`, `[{"text":"x"},`)
}
func FuzzMail(f *testing.F) {
	fuzz(f, "a.eml", "Subject: =?utf-8?q?x?=\r\n\r\nText.", "Content-Type: multipart/alternative; boundary=B\r\n\r\n--B\r\n\r\nText.\r\n--B--", "Content-Type: text/html\r\nContent-Transfer-Encoding: base64\r\n\r\nPHA+eA==")
}
