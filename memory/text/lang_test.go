package text

import (
	"slices"
	"strings"
	"testing"
)

func TestLanguageOf(t *testing.T) {
	for in, want := range map[string]Language{
		"Wie hoch ist die Kaution?": "de", "Die Kaution beträgt drei Monatsmieten.": "de", "Wann ist Ruhezeit?": "de",
		"Quel est le montant du dépôt de garantie ?": "fr", "Combien de jours de congé ai-je ?": "fr", "L'appartement est loué meublé.": "fr",
		"¿Cuántos días de vacaciones hay?": "es", "¿Cuál es la fianza?": "es", "El inquilino paga una fianza de dos meses.": "es",
		"Quanto costa l'abbonamento?": "it", "Quanti giorni di ferie ci sono?": "it",
		"Qual é o prazo de pagamento?": "pt", "O contrato pode ser rescindido com trinta dias de antecedência.": "pt",
		"Hoeveel vakantiedagen heb ik?": "nl", "De huur moet voor de eerste van de maand worden betaald.": "nl",
		"有給休暇は何日ですか?": "ja", "押金是多少?": "zh", "연차 휴가는 며칠입니까?": "ko", "Каков срок оплаты?": "ru",
		"Hur många semesterdagar har jag?": "sv", "Hvor mange feriedager har jeg?": "",
		"What is the deposit?": "en", "Who approves a new cloud service?": "en", "How many days did Otto take?": "en",
		"The quick brown fox jumps over the lazy dog.": "en", "Notice by e-mail is not sufficient.": "en",
		"Kaution": "", "": "", "42 %": "", "BRIN index": "",
	} {
		if got := LanguageOf(in); got != want {
			t.Errorf("LanguageOf(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestLanguageTerms(t *testing.T) {
	for _, test := range []struct {
		l    Language
		in   string
		want []string
	}{
		{"", "What are the elements of batteries?", []string{"element", "batteri"}},
		{"de", "Wie hoch ist die Kaution?", []string{"hoch", "kaution"}},
		{"de", "die Häuser, das Haus, Straße", []string{"haus", "haus", "strass"}},
		{"fr", "Quel est le prix de l'appartement ?", []string{"prix", "appart"}},
		{"es", "¿Cuántos días de vacaciones?", []string{"dias", "vacacion"}},
		{"zh", "押金是多少", []string{"押金", "多少"}},
		{"ja", "有給休暇は何日ですか?", []string{"有給", "給休", "休暇", "何日"}},
	} {
		if got := test.l.Terms(test.in); !slices.Equal(got, test.want) {
			t.Errorf("%s: Terms(%q) = %q, want %q", test.l, test.in, got, test.want)
		}
	}
}

// The vertical line is where the next sentence begins.
func TestSentencesAbroad(t *testing.T) {
	for _, marked := range []string{
		"Der Vertrag beginnt am 1. Januar 2026 und endet am 31. Dezember. | Die Kaution ist zu zahlen.",
		"Die Wohnung liegt im 3. Stock. | Sie hat einen Balkon, z. B. für Blumen.",
		"Siehe Nr. 4 und § 5 Abs. 2 der Ordnung. | Sie gilt, d. h. alle halten sich daran.",
		"Er ist 12. | Der Hund ist alt.",
		"Pagamos al Sr. López en la pág. 4. | La fianza es de 2 meses.",
		"Voir l'art. 5 de la loi. | Le loyer est dû le 1er du mois.",
		"有給休暇は十日です。|申請は三日前までに！|よろしいですか？|はい。",
		"「はい。」|彼は行きました。",
		"She is 12. | The dog and the cat are old.",
		"Er arbeitet bei der Firma. | Die Firma zahlt bzw. Otto zahlt.",
	} {
		var want []string
		for part := range strings.SplitSeq(marked, "|") {
			want = append(want, strings.TrimSpace(part))
		}
		in := strings.ReplaceAll(strings.ReplaceAll(marked, " | ", " "), "|", "")
		var got []string
		for _, span := range Sentences(in) {
			got = append(got, in[span.Start:span.End])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q\n got %q\nwant %q", in, got, want)
		}
	}
}
