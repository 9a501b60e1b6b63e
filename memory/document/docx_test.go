package document

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

const wordNS = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"`

// docx packs parts as a Word document; the body is that of word/document.xml.
func docx(t testing.TB, body string, parts map[string]string) string {
	t.Helper()
	all := map[string]string{
		"[Content_Types].xml": `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`,
		"word/document.xml":   `<?xml version="1.0" encoding="UTF-8"?><w:document ` + wordNS + `><w:body>` + body + `</w:body></w:document>`,
		"word/styles.xml": `<w:styles ` + wordNS + `>
			<w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>
			<w:style w:type="paragraph" w:styleId="Heading2"><w:name w:val="heading 2"/><w:pPr><w:numPr><w:ilvl w:val="1"/><w:numId w:val="2"/></w:numPr></w:pPr></w:style>
			<w:style w:type="paragraph" w:styleId="Mine"><w:name w:val="mine"/><w:basedOn w:val="Heading2"/></w:style>
			<w:style w:type="paragraph" w:styleId="Title"><w:name w:val="Title"/></w:style>
			<w:style w:type="paragraph" w:styleId="TOC1"><w:name w:val="toc 1"/></w:style></w:styles>`,
		"word/numbering.xml": `<w:numbering ` + wordNS + `>
			<w:abstractNum w:abstractNumId="7"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="bullet"/><w:lvlText w:val="x"/></w:lvl></w:abstractNum>
			<w:abstractNum w:abstractNumId="8"><w:lvl w:ilvl="0"><w:start w:val="4"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>
			<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1.%2"/></w:lvl>
			<w:lvl w:ilvl="2"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="(%3)"/></w:lvl></w:abstractNum>
			<w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="8"/></w:num></w:numbering>`,
	}
	maps.Copy(all, parts)
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		f, err := z.Create(name)
		if err == nil {
			_, err = f.Write([]byte(all[name]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func para(style, inner string) string {
	return `<w:p><w:pPr><w:pStyle w:val="` + style + `"/></w:pPr>` + inner + `</w:p>`
}

func item(list, level int, text string) string {
	return fmt.Sprintf(`<w:p><w:pPr><w:numPr><w:ilvl w:val="%d"/><w:numId w:val="%d"/></w:numPr></w:pPr>%s</w:p>`, level, list, run(text))
}

func run(s string) string { return `<w:r><w:t xml:space="preserve">` + s + `</w:t></w:r>` }

func TestDocx(t *testing.T) {
	cell := func(s string) string { return "<w:tc>" + para("", run(s)) + "</w:tc>" }
	body := para("Title", run("Hand")+run("book")) +
		para("TOC1", run("Visits 1")) +
		para("berschrift1", run("Visits")) +
		para("", run("Visitors wear ")+run("a badge")+`<w:r><w:footnoteReference w:id="2"/></w:r>`+run(" always.")+
			`<w:del><w:r><w:delText>never</w:delText></w:r></w:del><w:moveFrom><w:r><w:t>gone</w:t></w:r></w:moveFrom><w:ins>`+run(" Added.")+`</w:ins>`) +
		item(1, 0, "yellow") + item(1, 0, "blue") +
		para("Mine", run("Fees")) +
		item(2, 2, "first fee") + item(2, 2, "second fee") +
		`<w:tbl><w:tr>` + cell("Kind") + cell("Fee") + `</w:tr><w:tr>` + cell("Day") + cell("5 &amp; 6") + `</w:tr><w:tr>` + cell("") + cell("") + `</w:tr></w:tbl>` +
		para("", `<mc:AlternateContent><mc:Choice>`+run("Shown once.")+`</mc:Choice><mc:Fallback>`+run("Shown once.")+`</mc:Fallback></mc:AlternateContent>`) +
		para("", `<w:r><w:lastRenderedPageBreak/></w:r>`+run("On page two.")+`<w:r><w:br/></w:r>`+run("Same.")) +
		para("Mine", run("Rest")) + para("", run("Weight: 6 kg          Packs:  2")+`<w:r><w:tab/></w:r>`+run("Time: 10")) + para("", run("7.2")+`<w:r><w:tab/></w:r>`+run("It is so.")) + para("", run("The end."))
	d := mustRead(t, "dir/hand.docx", docx(t, body, map[string]string{
		"word/footnotes.xml": `<w:footnotes ` + wordNS + `><w:footnote w:id="0"><w:p>` + run("sep") + `</w:p></w:footnote><w:footnote w:id="2"><w:p>` + run(" Of plastic.") + `</w:p></w:footnote></w:footnotes>`,
		"docProps/core.xml":  `<p xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Other</dc:title></p>`,
	}), nil)
	want := "Handbook\n\nVisits\n\nVisitors wear a badge[1] always. Added.\n\n- yellow\n- blue\n\n4.1 Fees\n\n(a) first fee\n(b) second fee\n\n" +
		"Kind: Fee\n\nDay: 5 & 6\n\nShown once.\n\nOn page two.\nSame.\n\n4.2 Rest\n\nWeight: 6 kg  Packs: 2  Time: 10\n\n7.2 It is so.\n\nThe end.\n\n[1] Of plastic."
	if d.Text != want {
		t.Errorf("text\n%s\nwant\n%s", d.Text, want)
	}
	if d.Title != "Handbook" || d.Format != "docx" || d.Plain {
		t.Errorf("title %q, format %q", d.Title, d.Format)
	}
	var got []string
	for _, p := range check(t, d, nil) {
		got = append(got, fmt.Sprintf("%s/%d/%.9s", p.Section, p.Page, p.Text))
	}
	if want := "Visits/1/Visitors |Visits > 4.1 Fees/1/(a) first|Visits > 4.1 Fees/2/On page t|Visits > 4.2 Rest/2/Weight: 6|Visits/1/[1] Of pl"; strings.Join(got, "|") != want {
		t.Errorf("passages %s\nwant %s", strings.Join(got, "|"), want)
	}
	if m := check(t, d, nil)[0].Metadata; m["file_type"] != "docx" || m["dir"] != "dir" {
		t.Errorf("metadata %v", m)
	}
}

func TestDocxErrors(t *testing.T) {
	deep := strings.Repeat("<w:sdt>", 300) + para("", run("x")) + strings.Repeat("</w:sdt>", 300)
	whole := docx(t, para("", run("text")), nil)
	for name, c := range map[string]struct{ raw, want string }{
		"no zip":       {"PK\x03\x04", "not a whole .docx"},
		"cut":          {whole[:len(whole)/2], "not a whole .docx"},
		"old":          {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 xx", "1997"},
		"no document":  {strings.ReplaceAll(whole, "word/document.xml", "word/documend.xml"), "without a Word document"},
		"malformed":    {docx(t, "<w:p><w:r>", nil), "document.xml is malformed"},
		"entities":     {docx(t, "", map[string]string{"word/document.xml": `<!DOCTYPE x [<!ENTITY a "b">]><x><w:p ` + wordNS + `><w:t>&a;</w:t></w:p></x>`}), "malformed"},
		"deep":         {docx(t, deep, nil), "nested"},
		"no text":      {docx(t, para("", ""), nil), "no text in it"},
		"another code": {docx(t, "", map[string]string{"word/document.xml": `<?xml version="1.0" encoding="UTF-16"?><x/>`}), "not UTF-8"},
		"bomb":         {docx(t, para("", run(strings.Repeat("a", 2<<20))), nil), "unpacks to more than 1 MB"},
	} {
		_, err := read(t, "a.docx", c.raw, &LoadOptions{MaxFileBytes: 1 << 20})
		var in *InputError
		if !errors.As(err, &in) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an InputError with %q", name, err, c.want)
		}
	}
}

func TestNumberFormats(t *testing.T) {
	for _, c := range []struct {
		n            int
		format, want string
	}{{28, "lowerLetter", "bb"}, {3, "upperLetter", "C"}, {14, "lowerRoman", "xiv"}, {1999, "upperRoman", "MCMXCIX"}, {0, "lowerRoman", "0"}, {7, "ordinal", "7"}} {
		if got := inFormat(c.n, c.format); got != c.want {
			t.Errorf("%d as %s is %q, want %q", c.n, c.format, got, c.want)
		}
	}
}

// FuzzDocx looks behind the ZIP file, which hides the text from a fuzzer.
func FuzzDocx(f *testing.F) {
	f.Add(para("berschrift1", run("A"))+item(2, 1, "b")+"<w:tbl><w:tr><w:tc>"+para("", run("c"))+"</w:tc></w:tr></w:tbl>", "<w:footnotes><w:footnote w:id='2'/>", "<w:num w:numId='2'/>")
	f.Add("</w:p></w:tbl></w:tr><w:p><w:p><w:tbl><w:p>", "<w:lvl w:ilvl='99'>", "<w:style><w:basedOn w:val=''/></w:style>")
	f.Add(`<w:p><w:r><w:footnoteReference w:id="2"/></w:r></w:p><w:tc><w:p><w:r><w:t>x</w:t></w:r></w:p></w:tc></w:tr>`, "", "")
	f.Fuzz(func(t *testing.T, body, notes, styles string) {
		raw := docx(t, body, map[string]string{"word/footnotes.xml": notes, "word/numbering.xml": styles, "word/styles.xml": styles})
		d, err := read(t, "a.docx", raw, &LoadOptions{MaxFileBytes: 4 << 20})
		var in *InputError
		if err != nil {
			if !errors.As(err, &in) {
				t.Fatalf("%v is no InputError", err)
			}
			return
		}
		check(t, d, nil)
	})
}

func FuzzDocxFile(f *testing.F) { fuzz(f, "a.docx", docx(f, para("", run("text")), nil), "PK\x03\x04") }

func TestMetadata(t *testing.T) {
	for _, c := range []struct {
		name, content string
		want          map[string]string
	}{
		{"a/b/x.md", "---\ntitle: T\nTopic: torts # really\nsource_type: 'case # law'\ntags: [a, \"b, c\", a]\nlist:\n  - one\n  - two\n" +
			"note: >\n  some\n  words\nnested:\n  key: value\nempty:\nnothing: null\nlong: " + strings.Repeat("x", 300) + "\nmore: [one,\n  two]\n---\ntext",
			map[string]string{"topic": "torts", "source_type": "case # law", "tags": "a\nb, c", "list": "one\ntwo", "note": "some words", "more": "one\ntwo", "dir": "a/b", "file_type": "md"}},
		{"x.md", "+++\ntitle = \"T\"\ncategory = \"tax\"\n[deep]\nkey = \"no\"\n+++\ntext", map[string]string{"category": "tax", "file_type": "md"}},
		{"x.md", "---\ndir: elsewhere\n---\ntext", map[string]string{"dir": "elsewhere", "file_type": "md"}},
		{"x.md", "---\nno key here\n---\ntext", map[string]string{"file_type": "md"}},
		{"x.txt", "text", map[string]string{"file_type": "txt"}},
		{"d/x.html", "<p>text", map[string]string{"dir": "d", "file_type": "html"}},
		{"x.csv", "id,text,Topic,Source Type,blank\n1,hello,torts,case,\n", map[string]string{"topic": "torts", "source_type": "case", "file_type": "csv"}},
		{"x.jsonl", `{"id":1,"text":"hello","year":1999,"open":true,"tags":["a","b"],"deep":{"a":1},"none":null,"mixed":["a",{}]}`,
			map[string]string{"year": "1999", "open": "true", "tags": "a\nb", "file_type": "jsonl"}},
	} {
		d := mustRead(t, c.name, c.content, nil)
		for _, p := range check(t, d, nil) {
			if !maps.Equal(p.Metadata, c.want) {
				t.Errorf("%s %.30q: %q, want %q", c.name, c.content, p.Metadata, c.want)
			}
		}
	}
	var many strings.Builder
	for i := range 100 {
		fmt.Fprintf(&many, "k%03d: v\n", i)
	}
	if d := mustRead(t, "x.md", "---\n"+many.String()+"---\ntext", nil); len(d.Metadata) != maxMetaKeys {
		t.Errorf("%d keys, want %d", len(d.Metadata), maxMetaKeys)
	}
}

// Two records of a file have each their own values, over those of the file.
func TestMetadataOfRecords(t *testing.T) {
	d := mustRead(t, "x.csv", "id,text,topic\n1,one,a\n2,two,b\n3,three,\n", nil)
	got := check(t, d, nil)
	for i, want := range []string{"a", "b", ""} {
		if got[i].Metadata["topic"] != want || got[i].Metadata["file_type"] != "csv" {
			t.Errorf("record %d: %v, want topic %q", i, got[i].Metadata, want)
		}
	}
}
