package hostiletest

import (
	"fmt"
	"strings"
)

const (
	deep = 200_000 // levels: a recursive reader without a bound ends in a fatal stack overflow
	many = 300_000 // repetitions in a row
)

// Own returns the hostile files for one format, by the extension of its files.
func Own(ext string) []Payload {
	switch ext {
	case ".json", ".jsonl":
		return JSON("")
	case ".yaml":
		return YAML("")
	case ".csv", ".tsv":
		return csvFiles()
	case ".html":
		return htmlFiles()
	case ".md":
		return markdownFiles()
	case ".txt":
		return textFiles()
	case ".pdf":
		return pdfFiles()
	case ".docx", ".xlsx", ".pptx", ".odt", ".epub":
		return packed(ext)
	case ".eml":
		return mailFiles()
	case ".gz":
		return gzipFiles()
	case ".schema":
		return Schemas()
	}
	return nil
}

// JSON returns values that are hard for readers of JSON. Around, if it is not empty, is a document in
// which % stands for the value.
func JSON(around string) []Payload {
	head, tail, _ := strings.Cut(around, "%")
	v := func(name, value string) Payload { return Text(name, head+value+tail) }
	return []Payload{
		Nest("deep arrays", head, "[", deep, "", "]", tail),
		Nest("deep objects", head, `{"a":`, deep, "1", "}", tail),
		Repeat("arrays that never end", head, "[", deep, ""),
		Repeat("a wide array", head+"[0", ",0", many, "]"+tail),
		Repeat("a wide object", head+`{"a":0`, `,"k%d":0`, many, "}"+tail),
		Repeat("a number of many digits", head, "9", 1<<20, tail),
		Repeat("a string of many escapes", head+`"`, `\u0000`, many, `"`+tail),
		v("a number beyond float64", "1e999"), v("a number beyond int64", "9223372036854775808"), v("a tiny number", "-1e-999"),
		v("the same key twice", `{"id":"a","id":"b","text":"x","text":1}`),
		v("half a surrogate", `{"text":"\ud800","id":"\udc00\ud800"}`),
		v("commands as escapes", `{"id":"\u001b]0;x\u0007","text":"\u001b[2J\u009b31m\u202e notice","\u001b[1m":"\u001b[31m"}`),
		v("null", "null"), v("nulls", "[null,null]"), v("a string", `"text"`), v("true", "true"), v("not JSON", "NaN"), v("a comment", "/* x */ {}"),
		v("numbers for text", `{"id":1e999,"text":12345678901234567890123,"version":-1,"v":1e999,"cassette":1e999}`),
	}
}

// YAML returns documents that are hard for readers of YAML, each after a head.
func YAML(head string) []Payload {
	var laughs, chain strings.Builder
	laughs.WriteString("a0: &a0 [lol,lol,lol,lol,lol,lol,lol,lol,lol]\n")
	for i := 1; i < 12; i++ {
		fmt.Fprintf(&laughs, "a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i-1), 9), ","))
	}
	chain.WriteString("m0: &m0 {k: v}\n")
	for i := 1; i < 2000; i++ {
		fmt.Fprintf(&chain, "m%d: &m%d {<<: [*m%d, *m%[3]d]}\n", i, i, i-1)
	}
	return []Payload{
		Text("aliases of aliases", head+laughs.String()),
		Text("merges of merges", head+chain.String()),
		Text("an alias of itself", head+"a: &a [*a, *a]\n"),
		Text("a merge of itself", head+"a: &a {<<: *a}\n"),
		Nest("deep lists", head+"a: ", "[", 20_000, "", "]", "\n"),
		Repeat("deep dashes", head+"a:\n ", "- ", 20_000, "x\n"),
		Repeat("many keys", head, "k%d: 1\n", 20_000, ""),
		Text("the same key twice", head+"corpus: a\ncorpus: b\nquestion: a\nquestion: b\n"),
		Text("tags", head+"a: !!binary x\nb: !!python/object:os.system ls\nc: !<tag:yaml.org,2002:int> x\n"),
		Text("commands as keys", head+"\"\\e[31mred\\x9b2J\\u202e\": 1\n"),
		Text("commands as values", head+"corpus: \"\\e]0;x\\a\\x9b2J\"\nmodel: \"\\e[31m:\\x9bx\"\nquestion: \"\\e[31m\"\npipeline: \"\\e[2J\"\n"),
		Text("numbers beyond all", head+"corpus: 1e999\nmodel: .inf\nconfidence_threshold: .nan\nquestion: 0x7fffffffffffffffffff\n"),
		Text("two documents", head+"corpus: a\n---\ncorpus: b\n"),
		Text("a list", "- a\n- b\n"), Text("null", "~\n"), Text("a tab", "a:\n\tb: c\n"),
	}
}

func csvFiles() []Payload {
	return []Payload{
		Repeat("a million columns", "text", ",c%d", 1_000_000, "\nThe notice is thirty days.\n"),
		Repeat("a million columns in a row", "id,text\n1", ",x", 1_000_000, "\n"),
		Repeat("an open quote", "id,text\n1,\"", "thirty days\n", many, ""),
		Repeat("quotes of quotes", "id,text\n1,", `"`, many, "\n"),
		Repeat("many rows", "id,text\n", "%d,x\n", 50_000, ""),
		Text("the same column twice", "text,text,id,id,question,question\na,b,c,d,e,f\n"),
		Text("only commas", strings.Repeat(",", 100_000)),
		Text("commands as columns", "id,\x1b[31mtext,\u009b2J,text\n\x1b]0;x\x07,a,b,c\n"),
		Text("formulas", "id,text,question\n=cmd|'/C calc'!A0,=1+1,+1\n"),
	}
}

func htmlFiles() []Payload {
	return []Payload{
		Repeat("deep blocks", "<html><body>", "<div>", deep, "The notice is thirty days."),
		Repeat("deep tables", "<html>", "<table><tr><td>", 50_000, "x"),
		Repeat("deep lists", "<html>", "<ul><li>", 50_000, "x"),
		Repeat("open formats", "<html>", "<b><i><a href=x>", 30_000, "x"),
		Repeat("open formats by paragraph", "<html>", "<p><b><i><font size=%d>x", 3_000, "x"),
		Repeat("many attributes", "<html><p", " a%d=x", many, ">The notice is thirty days.</p>"),
		Repeat("a long attribute", `<html><p title="`, "x", 5<<20, `">The notice is thirty days.</p>`),
		Repeat("many entities", "<html><p>", "&amp;&#27;&notin;&#x9b;", many/4, ""),
		Repeat("wide cells", "<html><table>", `<tr><td colspan=99999999 rowspan=99999999>x`, 500, ""),
		Text("an open comment", "<html>"+strings.Repeat("<!--", 100_000)), Text("an open script", "<html><script>"+strings.Repeat("<", 1<<20)),
		Text("an open tag", "<html>"+strings.Repeat("<a ", 200_000)),
		Text("commands as entities", "<html><title>&#27;]0;x&#7;</title><h1>&#x9b;2J&#x1b;[31m</h1><p>The &#27;[31mnotice&#x202e; is thirty days."),
	}
}

func markdownFiles() []Payload {
	out := []Payload{
		Repeat("deep quotes", "", "> ", deep, "The notice."), Repeat("deep lists", "", "- ", deep, "x"), Repeat("deep numbers", "", "1. ", 50_000, "x"),
		Repeat("open brackets", "", "[", deep, "x"), Repeat("open images", "", "![a](", 50_000, "x"), Repeat("open emphasis", "", "*a _b ", 100_000, "x"),
		Repeat("backticks", "", "`", deep, "x"), Repeat("growing backticks", "", "`a``b```c", 50_000, ""), Repeat("open links", "", "<a:", 100_000, ""),
		Repeat("a huge heading", "# ", "notice ", 1<<20, "\n\ntext\n"), Repeat("many headings", "", "# h%d\n", 20_000, "x\n"),
		Repeat("headings down and up", "", "# a\n###### b\n", 20_000, "text\n"),
		Repeat("a wide table", "|", "a|", 20_000, "\n|"+strings.Repeat("-|", 20_000)+"\n|"+strings.Repeat("b|", 20_000)+"\n"),
		Repeat("many references", "", "[a%d]: b\n", 20_000, "[a1]\n"), Repeat("open fences", "", "```\n~~~\n", 50_000, "x"), Repeat("lines of dashes", "", "---\n", 100_000, "x"),
	}
	for _, y := range YAML("---\n") {
		out = append(out, Payload{"front matter, " + y.Name, y.Write})
	}
	return out
}

func textFiles() []Payload {
	return []Payload{
		Line("a line of 8 MB", 8<<20), Repeat("a word of 4 MB", "", "W", 4<<20, ""), Repeat("many lines", "", "a%d.\n", 100_000, ""),
		Repeat("many marks on one letter", "The notice is z", "\u0351\u036b", 100_000, " thirty days."), Repeat("many sentences", "", "No. ", many, ""),
		Repeat("open quotes", "", `"`, many, ""), Repeat("open parentheses", "", "(", many, ""), Repeat("digits", "", "9", 1<<20, ""), Repeat("dots", "", ".", 1<<20, ""),
		Repeat("numbers with commas", "", "1,", many, ""), Repeat("abbreviations", "", "e.g. U.S.A. ", 50_000, ""), Repeat("capitals", "", "Notice Period ", 30_000, ""),
		Repeat("citations", "", "[Source 1][1](2)", 50_000, ""), Repeat("negations", "The notice is ", "not ", 50_000, "thirty days."),
	}
}

func mailFiles() []Payload {
	return []Payload{
		Repeat("deep parts", "", "Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n", 20_000, "\r\nThe notice.\r\n"),
		Repeat("mail in mail", "", "Content-Type: message/rfc822\r\n\r\n", 20_000, "\r\nThe notice.\r\n"),
		Repeat("many headers", "Subject: x\r\n", "X-%d: y\r\n", 100_000, "\r\nThe notice.\r\n"),
		Repeat("a long header", "Subject: ", "notice ", 1<<19, "\r\n\r\nThe notice.\r\n"),
		Repeat("many encoded words", "Subject:", " =?utf-8?b?G1szMW0=?=", 20_000, "\r\n\r\nThe notice.\r\n"),
		Repeat("many parts", "Content-Type: multipart/mixed; boundary=b\r\n\r\n", "--b\r\nContent-Type: text/plain\r\n\r\nx\r\n", 20_000, "--b--"),
		Text("a boundary of itself", "Content-Type: multipart/mixed; boundary=\"\"\r\n\r\n--\r\n\r\nx\r\n----\r\n"),
		Text("an encoding that is unknown", "Content-Type: text/plain; charset=\"\x1b[31m\"\r\nContent-Transfer-Encoding: \x1b[31m\r\n\r\nx"),
	}
}

func gzipFiles() []Payload {
	return []Payload{
		Gzipped(Repeat("a gigabyte of one letter", "", strings.Repeat("a", 1<<16), 1<<14, "")),
		Gzipped(Repeat("words", "", "The notice is thirty days. ", 1<<18, "")),
		Gzipped(Gzipped(Text("text", "The notice."))), Gzipped(Bytes("nothing", nil)), Gzipped(Bytes("NUL", make([]byte, 1000))),
		Text("only its first bytes", "\x1f\x8b"), Text("a long name", "\x1f\x8b\x08\x08\x00\x00\x00\x00\x00\xff"+strings.Repeat("n", 1<<16)),
	}
}

// Schemas returns JSON Schemas that are hard for validators and for readers of fields.
func Schemas() []Payload {
	property := func(name, value string) Payload {
		return Text(name, `{"type":"object","properties":{"a":`+value+`}}`)
	}
	var doubling, refs strings.Builder
	for i := range 40 {
		fmt.Fprintf(&doubling, `"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%[2]d"}]},`, i, i+1)
		fmt.Fprintf(&refs, `"d%d":{"type":"object","properties":{"l":{"$ref":"#/$defs/d%d"},"r":{"$ref":"#/$defs/d%[2]d"}}},`, i, i+1)
	}
	defs := func(name, defs string) Payload {
		return Text(name, `{"type":"object","properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{`+defs+`"d40":{"type":"string"}}}`)
	}
	return []Payload{
		Text("a reference to itself", `{"$ref":"#"}`), property("a field that is the whole", `{"$ref":"#"}`),
		Text("references in a circle", `{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"$ref":"#/$defs/y"},"y":{"$ref":"#/$defs/x"}}}`),
		property("a reference to nothing", `{"$ref":"#/$defs/none"}`), property("a reference to a file", `{"$ref":"file:///etc/passwd"}`),
		property("a reference to a server", `{"$ref":"http://127.0.0.1:1/x"}`), property("a reference as a command", `{"$ref":"\u001b[31m\u009b2J"}`),
		defs("allOf that doubles", doubling.String()), defs("fields that double", refs.String()),
		property("a pattern of groups", `{"type":"string","pattern":"^(a+)+(a+)+(a+)+$"}`),
		property("a pattern of repeats", `{"type":"string","pattern":"((((a{100}){100}){100}){100})"}`),
		property("a pattern of a thousand", `{"type":"string","pattern":"(x{1000}){1000}"}`),
		Text("a pattern that is deep", `{"type":"object","properties":{"a":{"type":"string","pattern":"`+strings.Repeat("(", 50_000)+strings.Repeat(")", 50_000)+`"}}}`),
		property("a pattern that is not one", `{"type":"string","pattern":"(\u001b[31m"}`),
		property("bounds beyond all", `{"type":"array","minItems":1e999,"items":{"type":"string","maxLength":1e400}}`),
		property("many items wanted", `{"type":"array","minItems":9007199254740991,"items":{"type":"string","minLength":9007199254740991}}`),
		property("a multiple of nearly nothing", `{"type":"number","multipleOf":1e-320}`),
		Text("a check that is deep", `{"type":"object","properties":{"a":{"type":"number"}},"x-check":["a == `+strings.Repeat("(", 50_000)+"a"+strings.Repeat(")", 50_000)+`"]}`),
		Text("a check of nothing", `{"type":"object","properties":{"a":{"type":"number"}},"x-check":["a == a / 0","\u001b[31m","a == 1e999 * 1e999"]}`),
		Text("names as commands", `{"type":"object","properties":{"\u001b[31m\u009b2J\u202e":{"type":"string","x-anchor":["\u001b]0;x\u0007"]}},"required":["\u001b[31m"]}`),
		Repeat("many fields", `{"type":"object","properties":{"a":{"type":"string"}`, `,"notice%d":{"type":"string"}`, 3_000, "}}"),
		Nest("deep fields", "", `{"type":"object","properties":{"a":`, 5_000, `{"type":"string"}`, "}}", ""),
		Repeat("many values of an enum", `{"type":"object","properties":{"a":{"enum":["x"`, `,"v%d"`, 50_000, "]}}}"),
		Repeat("many anchors", `{"type":"object","properties":{"a":{"type":"string","x-anchor":["x"`, `,"v%d"`, 20_000, "]}}}"),
	}
}
