package browsertest

import (
	"fmt"
	"strings"
)

// keys are those that write nothing, or not themselves: their code, number and text.
var keys = map[string]struct {
	code   string
	number int
	text   string
}{
	"Tab": {"Tab", 9, ""}, "Enter": {"Enter", 13, "\r"}, "Escape": {"Escape", 27, ""}, " ": {"Space", 32, " "}, "Backspace": {"Backspace", 8, ""},
	"PageUp": {"PageUp", 33, ""}, "PageDown": {"PageDown", 34, ""}, "End": {"End", 35, ""}, "Home": {"Home", 36, ""},
	"ArrowLeft": {"ArrowLeft", 37, ""}, "ArrowUp": {"ArrowUp", 38, ""}, "ArrowRight": {"ArrowRight", 39, ""}, "ArrowDown": {"ArrowDown", 40, ""},
	"/": {"Slash", 191, "/"}, "?": {"Slash", 191, "?"},
}

var modifiers = map[string]int{"Alt": 1, "Control": 2, "Meta": 4, "Shift": 8}

// Press presses and releases keys one after another. A key is the character that it writes, or a
// name such as "Tab", "Enter" or "ArrowDown", with a modifier before it as in "Shift+Tab".
func (p *Page) Press(names ...string) {
	p.t.Helper()
	for _, name := range names {
		held := 0
		for {
			modifier, key, found := strings.Cut(name, "+")
			if !found || key == "" {
				break
			}
			held |= modifiers[modifier]
			name = key
		}
		key, known := keys[name]
		if !known {
			upper := strings.ToUpper(name)
			key.code, key.number, key.text = "Key"+upper, int(upper[0]), name
		}
		down := map[string]any{"type": "rawKeyDown", "key": name, "code": key.code, "windowsVirtualKeyCode": key.number, "modifiers": held}
		if key.text != "" && held&^modifiers["Shift"] == 0 {
			down["type"], down["text"] = "keyDown", key.text
		}
		p.call("Input.dispatchKeyEvent", down, nil)
		p.call("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": name, "code": key.code, "windowsVirtualKeyCode": key.number, "modifiers": held}, nil)
	}
}

// Type writes a text into the focused element, as a keyboard or an input method does.
func (p *Page) Type(text string) {
	p.t.Helper()
	p.call("Input.insertText", map[string]any{"text": text}, nil)
}

// Focus presses Tab, from the present focus, until the element of a CSS selector has it.
func (p *Page) Focus(selector string) {
	p.t.Helper()
	for range 2000 {
		p.Press("Tab")
		var there bool
		p.Eval(fmt.Sprintf(`document.activeElement.matches(%q)`, selector), &there)
		if there {
			return
		}
	}
	p.t.Fatalf("%s: Tab does not reach %s", p.url, selector)
}

// Drop drops files or folders of this machine on the first element that a selector of CSS names.
func (p *Page) Drop(selector string, paths ...string) {
	p.t.Helper()
	var at struct{ X, Y float64 }
	p.Eval(fmt.Sprintf(`(() => {
  const e = document.querySelector(%q);
  e.scrollIntoView({block: 'center'});
  const r = e.getClientRects()[0];
  return {X: r.x + r.width / 2, Y: r.y + r.height / 2};
})()`, selector), &at)
	for _, kind := range []string{"dragEnter", "dragOver", "drop"} {
		p.call("Input.dispatchDragEvent", map[string]any{"type": kind, "x": at.X, "y": at.Y, "data": map[string]any{"items": []any{}, "files": paths, "dragOperationsMask": 1}}, nil)
	}
}

// Click scrolls to the first element that a selector of CSS names, and presses the mouse on
// it. Something that lies over it ends the test.
func (p *Page) Click(selector string) {
	p.t.Helper()
	var at struct {
		X, Y float64
		Over string
	}
	p.Eval(fmt.Sprintf(`(() => {
  const e = document.querySelector(%q);
  if (!e) return {Over: 'nothing: it is not on the page'};
  e.scrollIntoView({block: 'center', inline: 'center'});
  const r = e.getClientRects()[0];
  if (!r) return {Over: 'nothing: it is not shown'};
  const X = r.x + r.width / 2, Y = r.y + r.height / 2, hit = document.elementFromPoint(X, Y);
  return {X, Y, Over: hit && (e.contains(hit) || hit.contains(e)) ? '' : hit ? hit.outerHTML.slice(0, 200) : 'nothing: it is outside of the window'};
})()`, selector), &at)
	if at.Over != "" {
		p.t.Fatalf("%s: a click on %s meets %s", p.url, selector, at.Over)
	}
	for _, kind := range []string{"mouseMoved", "mousePressed", "mouseReleased"} {
		params := map[string]any{"type": kind, "x": at.X, "y": at.Y}
		if kind != "mouseMoved" {
			params["button"], params["clickCount"] = "left", 1
		}
		p.call("Input.dispatchMouseEvent", params, nil)
	}
}
