package index

import (
	"slices"
	"testing"

	"example.com/assay/memory/retrieval"
	"example.com/assay/state"
)

var polyglot = []string{
	"Die Kaution beträgt drei Monatsmieten und ist vor dem Einzug zu zahlen.",
	"Die Waschküche ist von 7 bis 20 Uhr geöffnet. Die Nutzung ist für Mieter kostenlos.",
	"Haustiere sind nur mit Zustimmung des Vermieters erlaubt.",
	"La fianza es de dos mensualidades y se paga al firmar el contrato.",
	"El inquilino puede rescindir el contrato con treinta días de antelación.",
	"Le dépôt de garantie est égal à un mois de loyer et il est rendu à la fin du bail.",
	"L'ascenseur est en panne depuis lundi, les réparateurs viendront demain.",
	"有給休暇は年に二十日付与されます。申請は三日前までに行ってください。",
	"会議室の予約は受付で行います。",
	"押金为三个月房租，入住时支付。",
	"The deposit is two months of rent and is paid before moving in.",
	"The laundry room is open from eight to nine.",
	"Bikes are kept in the cellar behind the boiler.",
	"Visitors sign the book at the front desk.",
}

func TestQuestionsInTheirLanguage(t *testing.T) {
	x := open(t, build(t, plain(polyglot...)))
	for question, want := range map[string]string{
		"Wie hoch ist die Kaution?": "p00", "Wann kann ich waschen?": "p01", "Sind Haustiere erlaubt?": "p02", "Mietkaution": "p00",
		"¿Cuánto es la fianza?": "p03", "¿Con cuántos días de antelación puedo rescindir?": "p04",
		"Quel est le montant du dépôt de garantie ?": "p05", "Pourquoi l'ascenseur est-il en panne ?": "p06",
		"有給休暇は何日ですか?": "p07", "会議室はどこで予約しますか?": "p08", "押金是多少?": "p09",
		"How much is the deposit?": "p10", "When is the laundry room open?": "p11", "Where are bikes kept?": "p12",
	} {
		got := ids(search(t, x, retrieval.Query{Primary: question}))
		if len(got) == 0 || got[0] != want {
			t.Errorf("%q finds %q, want %s first", question, got, want)
		}
	}
	if got := x.corpus.Reader.Spoken(""); len(got) != 6 {
		t.Errorf("languages %q", got)
	}
	if r := search(t, x, retrieval.Query{Primary: "Wie hoch ist die Kaution?"}); len(r.Respelt) > 0 {
		t.Errorf("German is respelt: %+v", r.Respelt)
	}
}

// What stands above a passage alone is searched with it.
func TestLabelsAreSearched(t *testing.T) {
	in := plain("Grade B | 365 | 40 t", "opposite the chapel", "Grade A | 300 | 20 t", "The chapel is old.")
	in[0].Blocks = []state.Block{{Kind: state.BlockRow, End: 20, Cells: []state.Cell{{Header: "Grade", End: 7}, {Header: "Price per tonne", Start: 10, End: 13}}}}
	in[1].Blocks = []state.Block{{Kind: state.BlockAnswer, End: 19, Label: "Where do visitors park?"}}
	x := open(t, build(t, in))
	for question, want := range map[string]string{"price of grade B": "p00", "Where can I park?": "p01"} {
		if got := ids(search(t, x, retrieval.Query{Primary: question})); !slices.Contains(got[:min(1, len(got))], want) {
			t.Errorf("%q finds %q, want %s", question, got, want)
		}
	}
}
