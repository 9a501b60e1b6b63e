package hostiletest

import (
	"fmt"
	"strings"
)

// parts holds the part that a reader opens first, by format, and the elements around its text.
var parts = map[string]struct{ name, head, tail, opening, end string }{
	".docx": {"word/document.xml", `<w:document xmlns:w="w"><w:body>`, `</w:body></w:document>`, `<w:p><w:r><w:t>The notice is thirty days.</w:t></w:r>`, `</w:p>`},
	".odt":  {"content.xml", `<office:document-content xmlns:office="o" xmlns:text="t"><office:body><office:text>`, `</office:text></office:body></office:document-content>`, `<text:p>The notice is thirty days.`, `</text:p>`},
	".pptx": {"ppt/slides/slide1.xml", `<p:sld xmlns:p="p" xmlns:a="a"><p:cSld><p:spTree>`, `</p:spTree></p:cSld></p:sld>`, `<a:p><a:r><a:t>The notice is thirty days.</a:t></a:r>`, `</a:p>`},
	".xlsx": {"xl/worksheets/sheet1.xml", `<worksheet><sheetData>`, `</sheetData></worksheet>`, `<row><c t="inlineStr"><is><t>The notice is thirty days.</t></is></c>`, `</row>`},
	".epub": {"text.xhtml", `<html><body>`, `</body></html>`, `<p>The notice is thirty days.`, `</p>`},
}

// support returns the other parts that lead a reader to that part.
func support(ext string) []Payload {
	switch ext {
	case ".docx":
		return []Payload{Text("[Content_Types].xml", `<Types/>`)}
	case ".pptx":
		return []Payload{Text("ppt/presentation.xml", `<p:presentation xmlns:p="p" xmlns:r="r"><p:sldIdLst><p:sldId r:id="r1"/></p:sldIdLst></p:presentation>`),
			Text("ppt/_rels/presentation.xml.rels", `<Relationships><Relationship Id="r1" Type="x/slide" Target="slides/slide1.xml"/></Relationships>`)}
	case ".xlsx":
		return []Payload{Text("xl/workbook.xml", `<workbook xmlns:r="r"><sheets><sheet name="A" r:id="r1"/></sheets></workbook>`),
			Text("xl/_rels/workbook.xml.rels", `<Relationships><Relationship Id="r1" Type="x/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`)}
	case ".epub":
		return []Payload{Text("META-INF/container.xml", `<container><rootfiles><rootfile full-path="c.opf"/></rootfiles></container>`),
			Text("c.opf", `<package><manifest><item id="a" href="text.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/></spine></package>`)}
	}
	return nil
}

// Sample is a small file of a packed format.
func Sample(ext string) Payload {
	p := parts[ext]
	return pack(ext, "a sample", Text(p.name, p.head+p.opening+p.end+p.tail))
}

func pack(ext, name string, more ...Payload) Payload {
	return Zipped(name, append(support(ext), more...)...)
}

func packed(ext string) []Payload {
	p := parts[ext]
	part := func(name string, content Payload) Payload {
		content.Name = p.name
		return pack(ext, name, content)
	}
	entities := `<!DOCTYPE x [<!ENTITY a0 "lol">`
	for i := 1; i < 12; i++ {
		entities += fmt.Sprintf(`<!ENTITY a%d "%s">`, i, strings.Repeat(fmt.Sprintf("&a%d;", i-1), 10))
	}
	xxe := `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>`
	inner := Sample(ext)
	inner.Name = p.name
	out := []Payload{
		part("a bomb of white space", Repeat("", p.head, strings.Repeat(" ", 1<<16), 1<<13, p.tail)),
		part("a bomb of text", Repeat("", p.head, p.opening+p.end, 500_000, p.tail)),
		part("deep elements", Nest("", p.head, p.opening, 100_000, "", p.end, p.tail)),
		part("elements that never end", Repeat("", p.head, p.opening, 2_000, "")),
		part("entities of entities", Text("", entities+"]>"+p.head+"&a11;"+p.tail)),
		part("an entity of a file", Text("", xxe+p.head+"&e;"+p.tail)),
		part("many attributes", Repeat("", "<x", ` a%d="b"`, 100_000, "/>")),
		part("commands as entities", Text("", p.head+strings.ReplaceAll(p.opening, "notice", "&#x9b;2J&#x202e;notice&#27;[31m")+p.end+p.tail)),
		part("an encoding that is unknown", Text("", `<?xml version="1.0" encoding="x-evil"?>`+p.head+p.tail)),
		part("the format in itself", inner),
		Zipped("no parts"), Zipped("a part that leads out", Text("../../../../etc/passwd", "x"), Text("/etc/shadow", "x")),
		pack(ext, "the same part twice", Text(p.name, p.head+p.tail), Text(p.name, "x")),
		Repeat("many parts", "PK\x03\x04", "PK\x01\x02", 50_000, "PK\x05\x06"+strings.Repeat("\xff", 18)),
	}
	switch ext {
	case ".xlsx":
		out = append(out,
			part("a cell far away", Text("", p.head+`<row r="1048576"><c r="XFD1048576" t="inlineStr"><is><t>The notice.</t></is></c></row><row r="99999999999999999999"><c r="ZZZZZZZZZZZZ9"><v>1e999</v></c></row>`+p.tail)),
			part("cells far away, many", Repeat("", p.head, `<row><c r="A1"><v>1</v></c><c r="XFD1"><v>1</v></c></row>`, 2_000, p.tail)),
			part("strings that are not there", Text("", p.head+`<row><c t="s"><v>99999999999</v></c><c t="s"><v>-1</v></c></row>`+p.tail)))
	case ".docx":
		out = append(out, pack(ext, "styles in a circle", Text(p.name, `<w:document xmlns:w="w"><w:body><w:p><w:pPr><w:pStyle w:val="a"/></w:pPr><w:r><w:t>x</w:t></w:r></w:p></w:body></w:document>`),
			Text("word/styles.xml", `<w:styles xmlns:w="w"><w:style w:styleId="a"><w:basedOn w:val="b"/></w:style><w:style w:styleId="b"><w:basedOn w:val="a"/></w:style></w:styles>`)))
	}
	return out
}

// pdfFiles returns PDFs whose objects contradict each other, and PDFs with a wrong cross-reference
// table or none.
func pdfFiles() []Payload {
	const content = "BT /F1 12 Tf 72 700 Td (The notice is thirty days.) Tj ET"
	pdf := func(name string, objects ...string) Payload {
		var b strings.Builder
		b.WriteString("%PDF-1.7\n")
		at := make([]int, len(objects))
		for i, o := range objects {
			at[i] = b.Len()
			fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
		}
		start := b.Len()
		fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
		for _, o := range at {
			fmt.Fprintf(&b, "%010d 00000 n \n", o)
		}
		fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, start)
		return Text(name, b.String())
	}
	const root, pages = "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 1/Kids[3 0 R]>>"
	page := "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>"
	stream := func(dict, data string) string {
		return fmt.Sprintf("<<%s/Length %d>>stream\n%s\nendstream", dict, len(data), data)
	}
	const font = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
	chain := []string{root}
	for i := range 5_000 {
		chain = append(chain, fmt.Sprintf("<</Type/Pages/Count 1/Kids[%d 0 R]>>", i+3))
	}
	return []Payload{
		pdf("a sample", root, pages, page, stream("", content), font),
		pdf("pages in a circle", root, "<</Type/Pages/Count 1/Kids[2 0 R]>>"),
		pdf("pages twice in themselves", root, "<</Type/Pages/Count 9/Kids[3 0 R 3 0 R]>>", "<</Type/Pages/Count 9/Parent 2 0 R/Kids[2 0 R 2 0 R]>>"),
		pdf("pages that are deep", chain...),
		pdf("a count beyond all", root, "<</Type/Pages/Count 2147483647/Kids[3 0 R]>>", page, stream("", content), font),
		pdf("a negative count", root, "<</Type/Pages/Count -1/Kids[3 0 R]>>", page, stream("", content), font),
		pdf("a length beyond all", root, pages, page, "<</Length 99999999999999>>stream\n"+content+"\nendstream", font),
		pdf("a length in a circle", root, pages, page, "<</Length 4 0 R>>stream\n"+content+"\nendstream", font),
		pdf("a root in a circle", "1 0 R"), pdf("contents in a circle", root, pages, page, "[4 0 R 4 0 R]", font),
		pdf("deep arrays", root, pages, strings.Repeat("[", 100_000)+strings.Repeat("]", 100_000)),
		pdf("deep dictionaries", root, pages, strings.Repeat("<</A", 50_000)+strings.Repeat(">>", 50_000)),
		pdf("filters upon filters", root, pages, page, stream("/Filter["+strings.Repeat("/FlateDecode ", 5_000)+"]", content), font),
		pdf("a filter that is unknown", root, pages, page, stream("/Filter/Evil", content), font),
		pdf("deep states", root, pages, page, stream("", strings.Repeat("q ", 500_000)+content), font),
		pdf("deep arrays of text", root, pages, page, stream("", "BT "+strings.Repeat("[", 200_000)), font),
		pdf("much text", root, pages, page, stream("", "BT /F1 1 Tf "+strings.Repeat("(x) Tj ", 300_000)+"ET"), font),
		pdf("text that is a command", root, pages, page, stream("", `BT /F1 12 Tf 72 700 Td (The \033[31mnotice\007 is thirty days.) Tj ET`), font),
		pdf("a form in itself", root, pages, strings.Replace(page, "/Font", "/XObject<</X 4 0 R>>/Font", 1), stream("/Type/XObject/Subtype/Form/Resources<</XObject<</X 4 0 R>>>>", "/X Do /X Do"), font),
		pdf("a matrix of nothing", root, pages, page, stream("", "0 0 0 0 0 0 cm BT /F1 1e999 Tf 1e308 1e308 Td (x) Tj -1e999 Tc (y) Tj ET"), font),
		Text("a table in a circle", "%PDF-1.7\nxref\n0 1\n0000000000 65535 f \ntrailer\n<</Size 1/Root 1 0 R/Prev 9>>\nstartxref\n9\n%%EOF\n"),
		Text("a table beyond all", "%PDF-1.7\nxref\n0 9999999999\n0000000000 65535 f \ntrailer\n<</Size 9999999999/Root 1 0 R>>\nstartxref\n9\n%%EOF\n"),
		Text("a stream table beyond all", "%PDF-1.7\n1 0 obj\n<</Type/XRef/Size 2147483647/W[8 8 8]/Index[0 2147483647]/Root 1 0 R/Length 0>>stream\n\nendstream\nendobj\nstartxref\n9\n%%EOF\n"),
		Text("only its first line", "%PDF-1.7\n"), Text("encrypted", "%PDF-1.7\n1 0 obj\n<</Type/Catalog>>\nendobj\nxref\n0 2\n0000000000 65535 f \n0000000009 00000 n \ntrailer\n<</Size 2/Root 1 0 R/Encrypt<</Filter/Standard/V 99/R 99/O(x)/U(x)/P -1>>>>\nstartxref\n45\n%%EOF\n"),
		Repeat("many objects", "%PDF-1.7\n", "%d 0 obj<<>>endobj\n", 100_000, "trailer<</Root 1 0 R>>"),
	}
}
