package facts

import (
	"strings"
	"testing"
)

// A claim is taken apart into the word that names its subject and the first word of its
// predicate. One that is not sure stays whole.
func TestStatement(t *testing.T) {
	for _, test := range []struct{ claim, head, verb, how string }{
		{"The tenant repairs the roof.", "tenant", "repairs", ""},
		{"Tenants repair what they break.", "tenants", "repair", ""},
		{"The roof is repaired by the landlord.", "landlord", "repaired", ""},
		{"The roof is inspected every March.", "roof", "inspected", "undergoes"},
		{"The report is filed by the end of the year.", "report", "filed", "undergoes"},
		{"The owner of the shop repairs the roof.", "owner", "repairs", ""},
		{"The landlord and the tenant pay the tax.", "tenant", "pay", ""},
		{"The sales team signs supplier contracts.", "team", "signs", ""},
		{"The man who drives a bus must hold a licence.", "man", "hold", ""},
		{"The buyer is responsible for packing the goods.", "buyer", "responsible", "linked"},
		{"In 1990 the council of Talvik closed the port.", "council", "closed", ""},
		{"If it rains, the keeper closes the gate.", "keeper", "closes", ""},
		{"Visitors must always comply with the rules.", "visitors", "comply", ""},
		{"The passage also notes the impact.", "passage", "notes", ""},
		{"Nurses order stock every Monday.", "nurses", "order", ""},
		{"Stock is ordered by nurses every Monday.", "nurses", "ordered", ""},
		{"Recurrent mutations occur near the gene.", "mutations", "occur", ""},
		{"Press the button to start the pump.", "", "", ""},
		{"It was sold in May for a high price.", "", "", ""},
		{"The landlord, a bank, repairs the roof.", "", "", ""},
		{"The landlord repairs.", "", "", ""},
		{"", "", "", ""},
	} {
		s := parse(test.claim, newLexicon(""))
		st, ok := statementOf(s)
		if !ok {
			st = statement{head: -1, verb: -1}
		}
		var how []string
		if st.undergoes {
			how = append(how, "undergoes")
		}
		if st.linked {
			how = append(how, "linked")
		}
		if textAt(s.toks, st.head) != test.head || textAt(s.toks, st.verb) != test.verb || strings.Join(how, " ") != test.how {
			t.Errorf("%q: %q, %q, %v; want %q, %q, %q", test.claim, textAt(s.toks, st.head), textAt(s.toks, st.verb), how, test.head, test.verb, test.how)
		}
	}
}
