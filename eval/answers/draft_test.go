package answers

import (
	"reflect"
	"slices"
	"testing"

	"example.com/assay/state"
)

func TestGerund(t *testing.T) {
	for verb, want := range map[string]string{
		"uninstall": "uninstalling", "recompile": "recompiling", "create": "creating", "get": "getting", "run": "running", "tie": "tying", "open": "opening", "set": "setting", "commit": "committing",
		"copy": "copying", "show": "showing", "read": "reading", "fix": "fixing", "deploy": "deploying", "edit": "editing",
		"split": "splitting", "import": "importing", "visit": "visiting", "pass": "passing", "filter": "filtering", "use": "using", "tag": "tagging",
	} {
		if got := ofGerund(want); got != verb {
			t.Errorf("%s: %q, want %s", want, got, verb)
		}
	}
}

func TestDrafts(t *testing.T) {
	for _, c := range []struct {
		section, text  string
		question, gold string // empty for no draft
	}{
		{"Ropes", "A bowline is a fixed loop at the end of a rope.", "What is a bowline?", "fixed loop at the end"},
		{"Ropes", "This is a knot of some kind.", "", ""},
		{"Fees", "The default value of quay_fee is 12 crowns.", "What is the default of quay_fee?", "12 crowns"},
		{"Fees > QuayFee directive", "The default is 12.", "What is the default of QuayFee directive?", "12"},
		{"Notes", "The default is 12.", "", ""},
		{"Fees", "The time to wait defaults to five minutes, if nothing is said.", "What does the time to wait default to?", "five minutes"},
		{"Bounds", "The maximum number of boats is 1,200.", "What is the maximum number of boats?", "1,200"},
		{"Bounds", "The maximum number of boats is limited.", "", ""},
		{"4.2. Creating a mooring", "A form is filled in first of all. Then call moor_boat.", "How do I create a mooring?", "moor_boat"},
		{"Coil a rope", "Lay the rope on the floor in rings.", "", ""}, // no verb that is known
		{"Tie a rope", "Lay the rope on the floor in rings.", "How do I tie a rope?", "Lay the rope on the floor"},
		{"Locking and keys", "Lay the rope on the floor in rings.", "", ""},
		{"Tying The Ropes Of A HMS Boat", "Lay the rope on the floor in rings.", "How do I tie the ropes of A HMS boat?", "Lay the rope on the floor"},
		{"Ropes of boats", "The default is 12.", "", ""}, // of which of them?
	} {
		got := slices.DeleteFunc(drafts(state.Passage{Section: c.section, Text: c.text}), func(q Question) bool { return !usable(q) })
		if c.gold == "" {
			if len(got) > 0 {
				t.Errorf("%s: %+v, want no draft", c.text, got)
			}
			continue
		}
		if len(got) != 1 || got[0].Question != c.question || got[0].Gold[0] != c.gold {
			t.Errorf("%s: %+v, want %s %q", c.text, got, c.question, c.gold)
		}
	}
}

func TestDraft(t *testing.T) {
	passages := []state.Passage{
		{ID: "1", Source: "a.md", Section: "Fees", Text: "The default of the fee is 12 crowns. A fee is a sum of money for the quay.", End: 70},
		{ID: "2", Source: "b.md", Section: "Fees", Text: "A fee is a sum of money for the quay. A mole is a wall of stones in the sea.", End: 70},
		{ID: "3", Source: "b.md", Section: "Coiling ropes", Text: "Lay the rope on the floor in rings.", Start: 71, End: 99},
	}
	list := Draft(passages, &DraftOptions{Corpus: "quay"})
	if len(list) != 3 {
		t.Fatalf("%d drafts, want a default, two definitions (one is said twice) and nothing of the other heading: %+v", len(list), list)
	}
	for _, q := range list {
		if !q.Draft || !q.Answerable || q.Corpus != "quay" || q.ID == "" || q.File == "" || q.Where == "" || q.Half == "" {
			t.Errorf("%+v", q)
		}
	}
	turned := slices.Clone(passages)
	slices.Reverse(turned)
	if !reflect.DeepEqual(list, Draft(turned, &DraftOptions{Corpus: "quay"})) {
		t.Error("the order of the passages changes the drafts")
	}
	if few := Draft(passages, &DraftOptions{Corpus: "quay", N: 2}); len(few) != 2 || few[0].Type == few[1].Type {
		t.Errorf("kinds do not take turns: %+v", few)
	}
}
