package document

import (
	"strings"
	"testing"
)

func TestHTMLNotes(t *testing.T) {
	for _, c := range []struct{ name, page, want string }{
		{"a raised link", `<p>The rate<sup><a href="#n1">1</a></sup> rose in 5 m<sup>2</sup>.`, "The rate[1] rose in 5 m²."},
		{"a link with a raised sign", `<p>Rate<a href="#n1"><sup>[2]</sup></a> rose.`, "Rate[2] rose."},
		{"a link that says it is one", `<p>Rate<a class="footnote-ref" href="#n1">*</a> rose<a role="doc-noteref" href="#n2">†</a>.`, "Rate[*] rose[†]."},
		{"links that are none", `<p>See <a href="#top">1</a>, <sup><a href="/x">2</a></sup> and <sup><a href="#y">a long word</a></sup>.`, "See 1, ² and a long word."},
		{"an aside of notes, and another", `<p>Text.<aside role="doc-footnote">A note.</aside><aside>Adverts.</aside>`, "Text.\n\nA note."},
		{"a hidden note", `<p>Text.<aside class="footnote" hidden>A note.</aside>`, "Text."},
		{"notes outside the content", `<main><p>Text.</main><footer class="footnotes">Note 1.<a href="#r1">↩︎</a></footer><footer>Imprint.</footer>`, "Text.\n\nNote 1."},
		{"content that is notes", `<div class="footnotes"><main><p>Text.</main></div>`, "Text."},
		{"a way back", `<p>Note.<a href="#r" class="footnote-backref">back</a> <a href="#r">↩</a> <a href="/up">↑</a>`, "Note. ↑"},
		{"numbered lists", `<ol><li>one<ol type="a" start="3"><li>deep<li>er</ol><li value="7">seven<li>eight</ol><ul><li>dot</ul><ol type="I"><li>roman</ol>`,
			"1. one\nc. deep\nd. er\n7. seven\n8. eight\n\n- dot\n\nI. roman"},
	} {
		d := mustRead(t, "a.html", "<body>"+c.page, nil)
		check(t, d, nil)
		if got := strings.TrimSpace(d.Text); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
