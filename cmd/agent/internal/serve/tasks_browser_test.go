//go:build unix

package serve_test

import (
	"fmt"
	"strings"
	"testing"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/clitest"
	"example.com/assay/internal/browsertest"
)

// mostActions is how many actions a person may need who sees the page for the first time.
const mostActions = 5

// A hand uses a page by mouse, or by keyboard only, and counts its actions: a click, a key that sends,
// a field that is filled, a file that is dropped.
type hand struct {
	*browsertest.Page
	keyboard bool
	actions  []string
}

func (h *hand) acts(what string) { h.actions = append(h.actions, what) }

// click uses a link or a button.
func (h *hand) click(selector string) {
	h.acts("click " + selector)
	if h.keyboard {
		h.Focus(selector)
		h.Press("Enter")
	} else {
		h.Click(selector)
	}
}

// follow clicks on what leads to another page.
func (h *hand) follow(selector string) { h.Loads(func() { h.click(selector) }) }

// fill replaces the text of a field.
func (h *hand) fill(selector, text string) {
	h.acts("fill " + selector)
	if h.keyboard {
		h.Focus(selector)
	} else {
		h.Click(selector)
	}
	h.Press("Control+a")
	h.Type(text)
}

// send presses Enter in a field.
func (h *hand) send() {
	h.acts("Enter")
	h.Loads(func() { h.Press("Enter") })
}

// drop gives a file to the form for files: by dropping it or, by keyboard, by choosing it.
func (h *hand) drop(name, text string) {
	h.acts("drop " + name)
	if !h.keyboard {
		h.Loads(func() { h.Eval(dropping(name, text), nil) })
		return
	}
	h.Eval(fmt.Sprintf(`(() => { const d = new DataTransfer(); d.items.add(new File([%q], %q)); document.querySelector('#file').files = d.files; })()`, text, name), nil)
	h.follow("[data-upload] button")
}

// proof waits until the document shows a mark with a text, inside the window and under nothing.
func (h *hand) proof(text string) {
	const mark = ".documents mark:target, .documents :target mark, mark:has(:target)"
	h.Wait(fmt.Sprintf(inView, mark))
	h.Wait(fmt.Sprintf(uncovered, mark))
	h.Wait(fmt.Sprintf(`document.querySelector(%q).textContent.includes(%q)`, mark, text))
}

// ended waits for the end of the run that the page shows.
func (h *hand) ended() {
	h.Wait(`document.readyState === 'complete' && !document.querySelector('[data-live]')`)
}

// tasks are those of a person who sees the page for the first time, from its beginning on.
var tasks = []struct {
	name string
	do   func(*hand)
}{
	{"ask, and see the place of the answer", func(h *hand) {
		h.fill("#question", clitest.PermitQuestion)
		h.send()
		h.ended()
		h.Sees("payment of the lantern fee in full")
		h.click(".answer .ref")
		h.proof("lantern permit")
	}},
	{"find why an answer is doubted", func(h *hand) {
		h.follow(`nav.site a[href="/ui/runs"]`)
		h.follow(`tbody tr:has(.badge.warn) th a`)
		h.Sees("nine")
		h.Wait(`document.querySelector('.finding.bad .why')?.checkVisibility()`)
		h.click(".finding.bad .quotes a")
		h.proof("two winters")
	}},
	{"check a pasted text", func(h *hand) {
		h.follow(`nav.site a[href="/ui/check"]`)
		h.fill("#text", "A lantern permit expires after nine winters. A permit needs an inspection of the lantern by a wardkeeper.")
		h.follow("main form button")
		h.ended()
		h.Sees("The documents support 1 of 2 sentences.")
		h.click(".finding.bad .quotes a")
		h.proof("two winters")
	}},
	{"go back in a run, and change a prompt", func(h *hand) {
		h.follow(`nav.site a[href="/ui/runs"]`)
		h.follow(`tbody tr:has(.badge.plain) th a`)
		h.follow(`header .changes a[href*="skill=synthesize_and_cite"]`)
		var prompt string
		h.Eval(`document.querySelector('#text').value`, &prompt)
		h.fill("#text", prompt+"\nBe brief.\n")
		h.follow(`#go-on form:has(#text) button`)
		h.ended()
		h.Sees("It went on from a checkpoint of another run")
		h.Sees("payment of the lantern fee in full")
	}},
	{"go back in a run, and change its state", func(h *hand) {
		h.follow(`nav.site a[href="/ui/runs"]`)
		h.follow(`tbody tr:has(.badge.plain) th a`)
		h.follow(`header .changes a`)
		h.fill("#value", `[{"type":"human","content":"When does a lantern permit expire?"}]`)
		h.follow("#edit button[name=on]")
		h.ended()
		h.Sees("It went on from a checkpoint of another run")
		h.Sees("expires after two winters")
	}},
	{"read an invoice", func(h *hand) {
		h.follow(`nav.site a[href="/ui/extract"]`)
		h.drop("bill.txt", aBill)
		h.follow("main form[action$='/fields'] button")
		h.Wait(`!document.querySelector('[data-reading]') && document.querySelector('.value')`)
		h.Sees("84.50")
		h.click(`.value:has(input[value="84.50"]) a`)
		h.Wait(fmt.Sprintf(inView, "mark:target"))
		h.Wait(`document.querySelector('mark:target').textContent.includes('84.50')`)
	}},
}

// A person does each task with few actions, from the link that the server prints: by mouse on a desk
// and on a telephone, and by keyboard.
func TestTasksInBrowser(t *testing.T) {
	home := t.TempDir()
	clitest.Ingest(t, home, clitest.Permits)
	s := startAs(t, func(a *cli.App) { a.Stdout.TTY = true }, []string{cli.EnvHome + "=" + home}, "--allow-write")
	key := token(t, home)
	for _, u := range []turn{{graph: "verify", text: "A lantern permit expires after nine winters."}, {graph: "research", text: clitest.PermitQuestion}} {
		_, made := s.post(key, "/threads", "{}")
		u.token, u.thread = key, made["thread_id"].(string)
		s.ask(u)
	}
	waitFor(t, "the link", func() bool { return pageLine.MatchString(s.stdout.String()) })
	p := browsertest.Open(t)
	p.Goto(pageLine.FindStringSubmatch(s.stdout.String())[1])
	for _, by := range []struct {
		name     string
		view     browsertest.View
		keyboard bool
	}{{"mouse", browsertest.View{Width: 1280}, false}, {"telephone", browsertest.View{Width: 390, Dark: true}, false}, {"keyboard", browsertest.View{Width: 1280, Forced: true}, true}} {
		for _, task := range tasks {
			h := &hand{Page: p, keyboard: by.keyboard}
			p.Look(by.view)
			p.Goto(s.url + "/ui/")
			p.Wait(`document.activeElement.id === 'question'`)
			task.do(h)
			if len(h.actions) > mostActions {
				t.Errorf("%s, by %s, takes %d actions: %s", task.name, by.name, len(h.actions), strings.Join(h.actions, ", "))
			}
			sound(t, p)
		}
	}
}
