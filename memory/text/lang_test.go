package text

import (
	"slices"
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
