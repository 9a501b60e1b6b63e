package evidence_test

import (
	"strings"
	"testing"

	"example.com/assay/nodes/evidence"
	"example.com/assay/state"
)

// Two statutes conflict when they cannot both be followed, and in no other case.
func TestConflicts(t *testing.T) {
	for name, c := range map[string]struct {
		a, b string
		kind state.ConflictKind // empty for none
		says string             // of the line that names it
	}{
		"numbers":             {seven, ten, state.ConflictNumber, "“seven years” against “ten years”"},
		"demands and forbids": {"Every keeper must store the lantern records of the harbour in the tower.", "A keeper must not store the lantern records of the harbour in the tower.", state.ConflictNegation, "“must store” against “must not store”"},
		"permits and forbids": {"A keeper may burn the old lantern records of the harbour, and must tell the office.", "No keeper may burn the old lantern records of the harbour, or tell the office.", state.ConflictNegation, "against “No keeper may burn”"},
		"demands and frees":   {"Every keeper must copy the lantern records of the harbour by hand, and must sign each.", "A keeper is not required to copy the lantern records of the harbour by hand, and must sign each.", state.ConflictNegation, "“is not required to copy”"},
		"demands and permits": {"Every keeper shall copy the lantern records of the harbour by hand, and must sign each.", "A keeper may copy the lantern records of the harbour by hand, and must sign each.", state.ConflictModality, "“shall copy” against “may copy”"},
		"numbers of rules":    {"Every keeper must store the lantern records of the harbour under Rule 8.3.5.", "Every keeper must store the lantern records of the harbour under Rule 8.3.3.", "", ""},
		"numbers of sections": {"A keeper must store the lantern records of the harbour (see section 106).", "A keeper must store the lantern records of the harbour (see section 98).", "", ""},
		"another action":      {"A keeper must store the lantern records of the harbour in the tower.", "A keeper must not lend the lantern records of the harbour in the tower.", "", ""},
		"a condition":         {"A keeper must store the lantern records of the harbour in the tower.", "If the keeper cannot store the lantern records in the tower of the harbour, the keeper must tell the harbour office.", "", ""},
		"a name with non-":    {"A keeper must store the lantern records of the harbour for trading boats.", "A keeper must store the lantern records of the harbour for non-trading boats.", "", ""},
		"items of one list":   {"The keeper must, of the lantern records of the harbour:\n(a) store those of trading boats in the tower for seven years;\n(b) store those of trading boats in the cellar for ten years.", "", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			a := ask(t, nil, library(t, map[string]string{"statute-a.md": c.a + "\n", "statute-b.md": c.b + "\n"}, "statute-a.md", "statute-b.md"), "What must a keeper do with the lantern records of the harbour?", nil)
			if a.Trail.Verified < 2 {
				t.Fatalf("only %d verified: %+v", a.Trail.Verified, a.Rejected)
			}
			switch {
			case c.kind == "" && len(a.Conflicts) > 0:
				t.Errorf("conflicts %+v", a.Conflicts)
			case c.kind != "" && (len(a.Conflicts) != 1 || a.Conflicts[0].Kind != c.kind || !strings.Contains(a.Final, c.says)):
				t.Errorf("conflicts %+v in %s; want %s, %s", a.Conflicts, a.Final, c.kind, c.says)
			}
		})
	}
}

// A sentence that leans on the one before it is quoted with that one beside it, and
// an item with the lead-ins of all its lists; both are bytes that an auditor checks.
func TestStemsAreQuoted(t *testing.T) {
	law := "All lantern records of the harbour should be kept in the iron safe of the office. They must be counted by two clerks every Friday before noon.\n\n" +
		"A keeper must, for the lantern records of each boat that stays the night:\n\n(a) write down the name of the boat and of its master, and of each passenger who went ashore:\n\n    (i) the name that the passenger gave to the clerk on the quay;\n    (ii) the hour at which the passenger is to be back on board of the boat;\n"
	a := ask(t, nil, library(t, map[string]string{"statute.md": law}, "statute.md"), "What must be done with the lantern records of the harbour, and what written down of a passenger?", nil)
	var leaning, nested evidence.Requirement
	for _, r := range a.Extracted {
		switch {
		case strings.HasPrefix(r.Quote, "They must"):
			leaning = r
		case strings.HasPrefix(r.Quote, "(ii)"):
			nested = r
		}
	}
	if len(leaning.Stems) != 1 || !strings.HasPrefix(leaning.Spoken(), "All lantern records of the harbour should be kept") {
		t.Errorf("the sentence that leans has the stems %+v", leaning.Stems)
	}
	if len(nested.Stems) != 2 || !strings.HasPrefix(nested.Spoken(), "A keeper must, for the lantern records") || !strings.Contains(nested.Spoken(), "went ashore: (ii) the hour") {
		t.Errorf("the item has the stems %+v", nested.Stems)
	}
	if len(nested.Stems) > 0 {
		for i := range a.Extracted {
			if a.Extracted[i].ID == nested.ID {
				a.Extracted[i].Stems[0].Start++
			}
		}
		if len(evidence.Check(a).Problems) == 0 {
			t.Error("a stem that is not at its bytes is not told")
		}
	}
}
