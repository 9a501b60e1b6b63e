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

// packed makes a ZIP file of parts.
func packed(t testing.TB, parts map[string]string) string {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		f, err := z.Create(name)
		if err == nil {
			_, err = f.Write([]byte(parts[name]))
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

const relationNS = `xmlns="http://schemas.openxmlformats.org/package/2006/relationships"`

func relation(id, kind, target string) string {
	return fmt.Sprintf(`<Relationship Id=%q Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/%s" Target=%q/>`, id, kind, target)
}

func odt(t testing.TB, body string) string {
	return packed(t, map[string]string{
		"mimetype":    "application/vnd.oasis.opendocument.text",
		"meta.xml":    `<office:document-meta xmlns:office="o" xmlns:dc="d"><dc:title>The Hand Book</dc:title></office:document-meta>`,
		"content.xml": `<office:document-content xmlns:office="o" xmlns:text="t" xmlns:table="b"><office:body><office:text>` + body + `</office:text></office:body></office:document-content>`,
	})
}

func xlsx(t testing.TB, sheet, shared string) string {
	return packed(t, map[string]string{
		"xl/workbook.xml":            `<workbook xmlns:r="r"><sheets><sheet name="Prices" sheetId="1" r:id="rId1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": `<Relationships ` + relationNS + `>` + relation("rId1", "worksheet", "worksheets/sheet1.xml") + relation("rId2", "sharedStrings", "sharedStrings.xml") + relation("rId3", "styles", "/xl/styles.xml") + `</Relationships>`,
		"xl/sharedStrings.xml":       `<sst>` + shared + `</sst>`,
		"xl/styles.xml":              `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="dd/mm/yyyy"/></numFmts><cellStyleXfs><xf numFmtId="9"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="10"/></cellXfs></styleSheet>`,
		"xl/worksheets/sheet1.xml":   `<worksheet><sheetData>` + sheet + `</sheetData></worksheet>`,
	})
}

func pptx(t testing.TB, slide string) string {
	return packed(t, map[string]string{
		"ppt/presentation.xml":             `<p:presentation xmlns:p="p" xmlns:r="r"><p:sldIdLst><p:sldId id="256" r:id="rId2"/><p:sldId id="257" r:id="rId1"/></p:sldIdLst></p:presentation>`,
		"ppt/_rels/presentation.xml.rels":  `<Relationships ` + relationNS + `>` + relation("rId1", "slide", "slides/slide1.xml") + relation("rId2", "slide", "slides/slide2.xml") + `</Relationships>`,
		"ppt/slides/slide1.xml":            slide,
		"ppt/slides/slide2.xml":            `<p:sld xmlns:p="p" xmlns:a="a"><p:sp><p:nvSpPr><p:nvPr><p:ph type="ctrTitle"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>The Plan</a:t></a:r></a:p></p:txBody></p:sp><p:sp><p:txBody><a:p><a:r><a:t>Opening words.</a:t></a:r></a:p></p:txBody></p:sp></p:sld>`,
		"ppt/slides/_rels/slide1.xml.rels": `<Relationships ` + relationNS + `>` + relation("rId1", "notesSlide", "../notesSlides/notesSlide1.xml") + `</Relationships>`,
		"ppt/notesSlides/notesSlide1.xml":  `<p:notes xmlns:p="p" xmlns:a="a"><p:sp><p:nvSpPr><p:nvPr><p:ph type="sldNum"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>2</a:t></a:r></a:p></p:txBody></p:sp><p:sp><p:nvSpPr><p:nvPr><p:ph type="body" idx="1"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>Say it slowly.</a:t></a:r></a:p></p:txBody></p:sp></p:notes>`,
	})
}

func epub(t testing.TB, chapter string) string {
	return packed(t, map[string]string{
		"META-INF/container.xml": `<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>`,
		"OEBPS/book.opf": `<package xmlns:dc="d"><metadata><dc:title>A Book</dc:title></metadata><manifest><item id="n" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
			<item id="b" href="text/b%201.xhtml" media-type="application/xhtml+xml"/><item id="a" href="text/a.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="n"/><itemref idref="a"/><itemref idref="b"/></spine></package>`,
		"OEBPS/nav.xhtml":      `<html><body><p>Contents</p></body></html>`,
		"OEBPS/text/a.xhtml":   `<?xml version="1.0" encoding="utf-8"?><html><head><title/></head><body><h1><a id="x"/>One</h1><p>First chapter.</p></body></html>`,
		"OEBPS/text/b 1.xhtml": chapter,
	})
}

func TestFormats(t *testing.T) {
	slide := `<p:sld xmlns:p="p" xmlns:a="a"><p:sp><p:nvSpPr><p:nvPr><p:ph type="title"/></p:nvPr></p:nvSpPr><p:txBody><a:bodyPr/><a:p><a:r><a:t>Cos</a:t></a:r><a:r><a:t>ts</a:t></a:r></a:p></p:txBody></p:sp>
		<p:sp><p:txBody><a:p><a:r><a:t>They rise.</a:t></a:r></a:p><a:p><a:r><a:t>Then fall.</a:t></a:r></a:p></p:txBody></p:sp>
		<p:graphicFrame><a:tbl><a:tblPr firstRow="1"/><a:tr><a:tc><a:txBody><a:p><a:r><a:t>Year</a:t></a:r></a:p></a:txBody></a:tc><a:tc><a:txBody><a:p><a:r><a:t>Sum</a:t></a:r></a:p></a:txBody></a:tc></a:tr>
		<a:tr><a:tc><a:txBody><a:p><a:r><a:t>2025</a:t></a:r></a:p></a:txBody></a:tc><a:tc><a:txBody><a:p><a:r><a:t>7</a:t></a:r></a:p></a:txBody></a:tc></a:tr></a:tbl></p:graphicFrame>
		<p:sp><p:nvSpPr><p:nvPr><p:ph type="ftr"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>Footer</a:t></a:r></a:p></p:txBody></p:sp></p:sld>`
	mail := "From: =?utf-8?q?Ren=C3=A9?= <r@example.com>\r\nTo: a@example.com\r\nSubject: The rent\r\nDate: Mon, 2 Jan 2006 15:04:05 -0700\r\nContent-Type: multipart/mixed; boundary=B\r\n\r\n" +
		"--B\r\nContent-Type: multipart/alternative; boundary=C\r\n\r\n--C\r\nContent-Type: text/html\r\n\r\n<p>The rent for the <b>caf&eacute;</b> is due. <p>Pay it.\r\n--C\r\nContent-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nThe rent for the caf=E9 is due.\r\n\r\nPay it.\r\n--C--\r\n" +
		"--B\r\nContent-Type: application/pdf\r\nContent-Disposition: attachment; filename=\"bill.pdf\"\r\nContent-Transfer-Encoding: base64\r\n\r\nAAAA\r\n--B--\r\n"
	for _, c := range []struct{ name, src, title, want string }{
		{"a.odt", odt(t, `<text:tracked-changes><text:p>deleted</text:p></text:tracked-changes><text:h text:outline-level="1">Visits</text:h><text:p>Wear<text:s/>a <text:span>badge</text:span><text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>Or a tag.</text:p></text:note-body></text:note>.</text:p>`+
			`<text:list><text:list-item><text:p>one</text:p></text:list-item><text:list-item><text:p>two</text:p></text:list-item></text:list>`+
			`<table:table><table:table-header-rows><table:table-row><table:table-cell><text:p>Kind</text:p></table:table-cell><table:table-cell><text:p>Fee</text:p></table:table-cell></table:table-row></table:table-header-rows><table:table-row><table:table-cell><text:p>Day</text:p></table:table-cell><table:table-cell><text:p>5</text:p></table:table-cell></table:table-row></table:table>`),
			"The Hand Book", "0 Visits: Wear a badge[1].\n\n- one\n- two\n\nKind; Fee\n\nDay; Fee: 5\n\n[1] Or a tag."},
		{"a.xlsx", xlsx(t, `<row r="1"><c r="A1" t="s"><v>0</v></c></row><row r="2"><c r="A2" t="s"><v>1</v></c><c r="B2" t="inlineStr"><is><t>Due</t></is></c><c r="D2" t="str"><v>Rate</v></c></row>`+
			`<row r="3"><c r="A3" t="s"><v>2</v></c><c r="B3" s="1"><v>46053</v></c><c r="D3" s="2"><v>0.125</v></c></row><row r="4"><c r="A4"><v>0.30000000000000004</v></c><c r="D4" t="b"><v>1</v></c></row>`,
			`<si><t>All prices</t></si><si><r><t>Na</t></r><r><t>me</t></r><rPh><t>x</t></rPh></si><si><t>Rent</t></si>`),
			"a", "0 Prices: All prices\n\nName; Due; Rate\n\nRent; Due: 2026-01-31; Rate: 12.50%\n\n0.3; Rate: TRUE"},
		{"a.pptx", pptx(t, slide), "The Plan", "1 The Plan: Opening words.|2 Costs: They rise.\n\nThen fall.\n\nYear; Sum\n\n2025; Sum: 7\n\nSay it slowly."},
		{"a.epub", epub(t, "<html><body><h1>Two</h1><p>Second chapter.</p></body></html>"), "A Book", "0 One: First chapter.|0 Two: Second chapter."},
		{"a.eml", mail, "The rent", "0 : From: René <r@example.com>\nTo: a@example.com\nDate: Mon, 2 Jan 2006 15:04:05 -0700\nSubject: The rent\n\nThe rent for the café is due.\n\nPay it.|0 : Attachment: bill.pdf"},
		{"a.json", "[\n {\"id\":1,\"text\":\"One.\"},\n 7,\n {\"id\":2,\n  \"text\":\"Two.\"}\n]", "a", "0 : One.|0 : Two."},
		{"a.json", `{"text":"Only one.","title":"T"}`, "a", "0 : Only one."},
		{"a.md.gz", gz("# Head\n\nText."), "Head", "0 Head: Text."},
		{"a.html.gz", gz("<h1>Head</h1><p>Text."), "Head", "0 Head: Text."},
		{"a.pdf.gz", gz(makePDF("BT /F1 12 Tf 72 700 Td (Hello world.) Tj ET")), "a", "1 : Hello world."},
	} {
		d, err := read(t, c.name, c.src, nil)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var got []string
		for _, p := range check(t, d, nil) {
			got = append(got, fmt.Sprintf("%d %s: %s", p.Page, p.Section, p.Text))
		}
		if strings.Join(got, "|") != c.want || d.Title != c.title || d.Plain {
			t.Errorf("%s: title %q\n got %q\nwant %q", c.name, d.Title, strings.Join(got, "|"), c.want)
		}
	}
	if d := mustRead(t, "a.json", "[\n {\"id\":1,\"text\":\"One.\"},\n 7,\n {\"id\":2,\"text\":\"Two.\"},\n {]", nil); d.LostRecords != 2 || !strings.HasPrefix(d.Lost[0], "a.json:3: it is not a JSON object") || !strings.HasPrefix(d.Lost[1], "a.json:5: it is not JSON from here on") {
		t.Errorf("lost: %q", d.Lost)
	}
}

// Raised and lowered signs, hidden text, numbers of lists, fills of templates and dates of files.
func TestFormatsAsTheyStand(t *testing.T) {
	run := func(props, s string) string { return `<a:r><a:rPr ` + props + `/><a:t>` + s + `</a:t></a:r>` }
	core := map[string]string{"docProps/core.xml": `<p xmlns:dcterms="t"><dcterms:created>2026-01-02T10:00:00Z</dcterms:created><dcterms:modified>2026-03-04T10:00:00Z</dcterms:modified></p>`}
	for _, c := range []struct{ name, src, want, date string }{
		{"a.odt", odt(t, `<office:automatic-styles xmlns:style="s"><style:style style:name="T1"><style:text-properties style:text-position="super 58%"/></style:style><style:style style:name="T2"><style:text-properties text:display="none"/></style:style>`+
			`<text:list-style style:name="L1"><text:list-level-style-number text:level="1" style:num-format="1"/><text:list-level-style-number text:level="2" style:num-format="a"/></text:list-style></office:automatic-styles>`+
			`<text:p>5×10<text:span text:style-name="T1">6</text:span> l<text:span text:style-name="T2">HIDDEN</text:span>.</text:p><text:list text:style-name="L1"><text:list-item><text:p>one</text:p><text:list><text:list-item><text:p>deep</text:p></text:list-item></text:list></text:list-item><text:list-item><text:p>two</text:p></text:list-item></text:list>`),
			"5×10⁶ l.\n\n1. one\na. deep\n2. two", ""},
		{"a.pptx", pptx(t, `<p:sld xmlns:p="p" xmlns:a="a"><p:sp><a:p>`+run("", "10")+run(`baseline="30000"`, "-4")+run(`baseline="-25000"`, "x")+`</a:p></p:sp><p:graphicFrame><a:tbl><a:tblPr firstRow="1"><a:tableStyleId>{5C22544A}</a:tableStyleId></a:tblPr><a:tr><a:tc><a:p>`+run("", "Year")+`</a:p></a:tc><a:tc><a:p>`+run("", "Sum")+`</a:p></a:tc></a:tr><a:tr><a:tc><a:p>`+run("", "2025")+`</a:p></a:tc><a:tc><a:p>`+run("", "7")+`</a:p></a:tc></a:tr></a:tbl></p:graphicFrame></p:sld>`),
			"The Plan\n\nOpening words.\n\n10⁻⁴x\n\nYear; Sum\n\n2025; Sum: 7\n\nSay it slowly.", ""},
		{"a.docx", docx(t, para("", run2("", "10")+run2(`<w:vertAlign w:val="superscript"/>`, "-4")+run2("<w:vanish/>", "HIDDEN")+run2(`<w:vanish w:val="0"/>`, " shown")+`<w:r><w:sym w:char="F0FE"/></w:r>`+
			`<m:oMath xmlns:m="m"><m:f><m:num><m:r><m:t>3</m:t></m:r></m:num><m:den><m:r><m:t>100</m:t></m:r></m:den></m:f><m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath>`)+
			item(3, 0, "first")+item(3, 0, "second")+item(4, 0, "anew"), map[string]string{"docProps/core.xml": core["docProps/core.xml"], "word/numbering.xml": `<w:numbering ` + wordNS + `><w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="(%1)"/></w:lvl></w:abstractNum>
			<w:num w:numId="3"><w:abstractNumId w:val="1"/></w:num><w:num w:numId="4"><w:abstractNumId w:val="1"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride></w:num></w:numbering>`}),
			"10⁻⁴ shown☑3/100x²\n\n(a) first\n(b) second\n(a) anew", "2026-03-04"},
		{"a.html", `<meta property="article:published_time" content="2025-01-02"><meta name="last-modified" content="2026-05-06T01:02:03Z"><p>Text.`, "Text.", "2026-05-06"},
		{"a.html", `<meta name="date" content="someday"><meta name="dcterms.created" content="2024-05-06"><p>Text.`, "Text.", "2024-05-06"},
		{"a.md", "---\ndate: 3 May 2026\n---\nText.", "---\ndate: 3 May 2026\n---\nText.", "3 May 2026"},
		{"a.html", `<meta name="date" content="3 May 2026"><p>Text.`, "Text.", "2026-05-03"},
	} {
		d := mustRead(t, c.name, c.src, nil)
		check(t, d, nil)
		if got := strings.TrimSpace(d.Text); got != c.want || d.Metadata["date"] != c.date {
			t.Errorf("%s: date %q\n got %q\nwant %q", c.name, d.Metadata["date"], got, c.want)
		}
	}
}

func run2(props, s string) string {
	return `<w:r><w:rPr>` + props + `</w:rPr><w:t xml:space="preserve">` + s + `</w:t></w:r>`
}

// What is packed is held to what a file may unpack to, in every format.
func TestFormatErrors(t *testing.T) {
	long := strings.Repeat("many words ", 20_000)
	for _, c := range []struct{ name, src, want string }{
		{"a.odt", packed(t, map[string]string{"x": "y"}), "content.xml is missing"},
		{"a.pptx", packed(t, map[string]string{"x": "y"}), "ppt/presentation.xml is missing"},
		{"a.xlsx", packed(t, map[string]string{"x": "y"}), "xl/workbook.xml is missing"},
		{"a.epub", packed(t, map[string]string{"x": "y"}), "container.xml"},
		{"a.eml", "no mail", "not a mail"},
		{"a.json", "[1, 2]", "not a JSON object"},
		{"a.json", "nonsense", "not JSON from here on"},
		{"a.json", "[]", "no records"},
		{"a.odt", bomb(t, 20, "<p>", "content.xml"), "unpacks to more than"},
		{"a.pptx", bomb(t, 20, "<p>", "ppt/presentation.xml"), "unpacks to more than"},
		{"a.xlsx", bomb(t, 20, "<p>", "xl/workbook.xml"), "unpacks to more than"},
		{"a.epub", bomb(t, 20, "<p>", "META-INF/container.xml"), "unpacks to more than"},
		{"a.xlsx", xlsx(t, strings.Repeat(`<row><c t="s"><v>0</v></c></row>`, 500), "<si><t>"+long+"</t></si>"), "unpacks to more than"},
		{"a.odt", odt(t, "<text:p>cut"), "malformed"},
	} {
		_, err := read(t, c.name, c.src, nil)
		if in := new(InputError); !errors.As(err, &in) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}
