package claim

import (
	"strings"
	"testing"

	"example.com/assay/decide/claim/support"
	"example.com/assay/state"
)

// paper makes a passage of lines, each with the kind of its block before a bar; a row's
// cells are headed by those of the last line of heads.
func paper(title string, lines ...string) state.Evidence {
	p := state.Passage{ID: title, Doc: title, Title: title, Source: title}
	var heads []string
	label := ""
	for _, l := range lines {
		kind, said, _ := strings.Cut(l, "|")
		switch kind {
		case "heads":
			heads = strings.Split(said, "|")
			continue
		case "ask":
			label = said
			continue
		case "date":
			p.Metadata = map[string]string{"valid_from": said}
			continue
		}
		start := len(p.Text)
		b := state.Block{Kind: state.BlockKind(kind), Start: start, End: start + len(said)}
		switch b.Kind {
		case state.BlockRow:
			at := start
			for i, cell := range strings.Split(said, "|") {
				b.Cells = append(b.Cells, state.Cell{Header: heads[i], Start: at, End: at + len(cell)})
				at += len(cell) + 1
			}
		case state.BlockAnswer, state.BlockItem:
			b.Label = label
		}
		p.Text += said + "\n\n"
		if kind != "" {
			p.Blocks = append(p.Blocks, b)
		}
	}
	return state.Evidence{Passage: p}
}

// Claims about papers of kinds that a person has, true and false.
func TestUnits(t *testing.T) {
	for _, doc := range []struct {
		evidence []state.Evidence
		yes, no  string
	}{
		{[]state.Evidence{paper("Swimming courses", "heads|Course|Day|Fee|Places", "row|Herons|Monday|EUR 48|12", "row|Otters|Wednesday|EUR 62|8", "row|Seals|Friday|EUR 75|6")},
			"The Otters course costs 62 euros.\nThe Herons have 12 places.\nThe Seals course is on Friday.",
			"The Herons course costs 62 euros.\nThe Otters have 6 places.\nThe Herons course is on Friday.\nThe Seals course has 75 places."},
		{[]state.Evidence{paper("Seats", "paragraph|Subscribers choose their seats from 2 June; everybody else can buy single tickets from 18 August, 10 am.")},
			"Subscribers choose their seats from 2 June; everybody else can buy single tickets from 18 August, 10 am.", ""},
		{[]state.Evidence{paper("Parcel rates", "heads|Weight|Price", "row|up to 2 kg|EUR 4.90", "row|3-10 kg|EUR 8.50", "row|10+ kg|EUR 14")},
			"A parcel of 5 kg costs 8.50 euros.\nA parcel of 1 kg costs 4.90 euros.", "A parcel of 5 kg costs 4.90 euros.\nA parcel of 20 kg costs 8.50 euros."},
		{[]state.Evidence{paper("Allotment duties", "heads|Duty|Who|Until", "row|Repair the water pump|Marisol|4 May", "row|Trim the north hedge|Piet|18 June")},
			"Marisol repairs the water pump.\nThe north hedge is trimmed by Piet.", "Piet repairs the water pump.\nMarisol trims the north hedge.\nThe water pump is repaired until 18 June."},
		{[]state.Evidence{paper("Guest house", "ask|Can I bring my cat to the guest house?", "answer|Only in the garden rooms, and only if you tell us before.", "ask|When is breakfast served?", "answer|From 7:30 am to 10 am.")},
			"Cats may stay in the garden rooms if you tell us before.\nBreakfast is served from 7:30 am.", "Cats may stay in every room.\nBreakfast is served from 7:30 pm."},
		{[]state.Evidence{paper("Bus pass", "date|2021-01-01", "paragraph|The monthly bus pass costs 52 euros."), paper("Bus pass", "date|2024-01-01", "paragraph|The monthly bus pass costs 58 euros.")},
			"The monthly bus pass costs 58 euros.", "The monthly bus pass costs 52 euros."},
		{[]state.Evidence{paper("Delivery of the piano", "paragraph|The piano arrives on Friday the 9th of May at the back door, not at the front door.", "quoted|> The piano arrives on Monday the 5th of May.")},
			"The piano arrives on 9 May.\nThe piano arrives at the back door.", "The piano arrives on 5 May.\nThe piano arrives at the front door."},
		{[]state.Evidence{paper("Archive rules", "clause|Negatives are kept for 40 years; glass negatives for ninety years.", "clause|Flash photography is forbidden.", "clause|Readers may use pencils. Bags are never taken into the reading room.", "clause|Loans by telephone are not valid.")},
			"Glass negatives are kept for ninety years.\nNegatives are kept for forty years.\nFlash photography is not allowed.", "Glass negatives are kept for 40 years.\nFlash photography is allowed.\nReaders must use pencils.\nBags may be taken into the reading room.\nLoans are valid by telephone."},
		{[]state.Evidence{paper("Bakery", "paragraph|Deposits of more than 200 euros are paid back within fourteen days.", "paragraph|The shop is closed on Mondays. Ilse voted for the new oven and Joris voted against it.", "paragraph|The guarantee covers the mill for twenty-four months.")},
			"The guarantee covers the mill for two years.\nThe shop is closed on Mondays.\nDeposits of more than 200 euros are paid back within 14 days.", "The guarantee covers the mill for two months.\nThe shop is open on Mondays.\nDeposits of 200 euros are paid back within 14 days."},
	} {
		for list, want := range map[string]bool{doc.yes: true, doc.no: false} {
			for said := range strings.Lines(list) {
				said = strings.TrimSpace(said)
				v := judged(t, said, doc.evidence)
				if got := v.Status == state.Supported; got != want {
					t.Errorf("%q: %s, %s; quotes %v, against %v", said, v.Status, v.Reason, v.For, v.Against)
				}
			}
		}
	}
}

// judged is what the offline model and the check say of a claim.
func judged(t *testing.T, said string, evidence []state.Evidence) state.Verdict {
	t.Helper()
	var sources []support.Source
	for _, e := range evidence {
		sources = append(sources, support.Source{Title: e.Passage.Title, Text: e.Passage.Text})
	}
	read, err := support.Read(said, sources)
	if err != nil {
		t.Fatal(err)
	}
	v := state.Verdict{Claim: state.Claim{Text: said, End: len(said)}, Status: read.Status, Confidence: read.Confidence, Reason: read.Reason}
	for _, q := range read.Quotes {
		v.For = append(v.For, state.QuoteIn(evidence[q.Source].Passage, q.Start, q.End-q.Start))
	}
	return NewCheck(func(state.Passage) []state.Order { return nil }).Weigh(v, evidence)
}
