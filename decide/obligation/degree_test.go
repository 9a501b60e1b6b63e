package obligation_test

import (
	"testing"

	"example.com/assay/decide/obligation"
)

// What prescribes in so many words, what does so plainly, and what does not, in seven
// languages and two scripts without spaces.
func TestDegree(t *testing.T) {
	m := model(t)
	for want, sentences := range map[obligation.Degree][]string{
		obligation.Explicit: {
			"Every tenant must clear the snow.",
			"Smoking is prohibited in the stairwell.",
			"Visitors shall sign the book.",
			"A helmet is required on the site.",
			"Riders may not carry passengers.",
			"Die Mieter müssen den Flur reinigen.",
			"Das Grillen auf dem Balkon ist verboten.",
			"Eine Anmeldung ist erforderlich.",
			"Le casque est obligatoire pour tous.",
			"Les visiteurs doivent signer le registre.",
			"Il est interdit de fumer dans la cour.",
			"Los socios deben pagar antes del 1 de marzo.",
			"Está prohibido fumar en el patio.",
			"I visitatori devono firmare il registro.",
			"È vietato fumare nel cortile.",
			"Os sócios devem pagar até 31 de março.",
			"É proibido fumar no pátio.",
			"Bezoekers moeten zich melden.",
			"Roken is verboden in de hal.",
			"廊下を走ってはならない。",
			"员工必须佩戴工牌。",
			"未经许可不得入内。",
			"Le port du badge est obligatoire.",
			"Los perros están prohibidos en la sala.",
			"When the alarm sounds, everyone is required to leave the hall.",
		},
		obligation.Plain: {
			"Passwords have at least twelve characters.",
			"The treasurer approves every order above 500 euros.",
			"Report a leak to the caretaker within one hour.",
			"Do not open the gate by hand.",
			"Guests are never left alone in the archive.",
			"A verbal promise is not sufficient.",
			"Cheques are not accepted.",
			"The laundry may be used from 7 to 20 o'clock.",
			"Only registered players may use the court.",
			"Only on Mondays, and only if your group agrees.",
			"Complaints are answered within ten working days.",
			"The fee is 40 euros a year.",
			"Members pay their fee by 31 March.",
			"Records are kept for seven years.",
			"Whoever borrows a key writes it into the book.",
			"No dogs in the reading room.",
			"Nobody enters the boiler room alone.",
			"Children under six travel free.",
			"The pool closes at nine in the evening.",
			"Ask the warden before you move a bed.",
			"Wash your hands before and after every shift.",
			"Please leave your shoes at the door.",
			"At least two people at every closing.",
			"Bags larger than 40 litres stay in the cloakroom.",
			"- Rubbish goes out on Thursdays before 8 a.m.",
			"Press the bell twice and wait for the nurse.",
			"Returns are accepted for fourteen days.",
			"The deposit is paid back within a month of moving out.",
			"Die Sauna darf von 16 bis 22 Uhr benutzt werden.",
			"Hunde sind im Hof nicht erlaubt.",
			"Der Beitrag beträgt 30 Euro im Jahr.",
			"Gebohrt wird ausschließlich zwischen 9 und 12 Uhr.",
			"Wer den Schlüssel verliert, zahlt 50 Euro.",
			"Les chiens sont admis dans le jardin seulement.",
			"La caisse ferme trente minutes avant le bassin.",
			"El plazo para reclamar es de diez días.",
			"La cuota se paga en enero.",
			"La quota si paga entro il 31 gennaio.",
			"O pagamento é feito no prazo de dez dias.",
			"De wasruimte mag van 8 tot 20 uur worden gebruikt.",
			"休憩は一時間とする。",
			"Cyclists dismount on the bridge before six in the evening.",
			"Each flat receives two keys.",
			"Orders below 50 euros are not delivered.",
			"Solo los socios pueden usar la piscina.",
			"I bambini sotto i sei anni entrano solo con un adulto.",
			"As reclamações são aceites apenas por escrito.",
			"Honden mogen alleen aangelijnd in de tuin.",
			"Die Küche wird jeden Freitag geputzt.",
		},
		obligation.NoRule: {
			"The club was founded in 1962 by two sailors.",
			"The board approved the budget of 1.2 million.",
			"The flat has a kitchen and a bathroom.",
			"There are three rooms on the first floor.",
			"Safety rules",
			"2.1 General provisions ........ 14",
			"What must a tenant do?",
			"Present: Ada, Ben and Carla.",
			"Home | Prices | Contact",
			"Thank you for your letter of 3 May.",
			"Our tower offers a wide view of the bay.",
			"Der Verein wurde 1962 gegründet.",
			"Das Haus liegt am Rand der Stadt.",
			"Le club est situé au bord du lac.",
			"El edificio fue construido en 1950.",
			"Il palazzo fu costruito nel 1930.",
			"Het huis werd in 1931 gebouwd.",
			"O clube foi fundado em 1962.",
			"In this part \"vessel\" shall mean any boat.",
			"Copyright 2021 Harbour Press",
			"A keeper must:",
			"Version 3 of 4 June 2024",
			"会社は東京にある。",
			"Anna Berg, Carl Dahl, Eva Falk",
			"The report describes how the harbour grew.",
			"Le bâtiment était une école.",
			"Contents of this binder",
			"Mr Berg told the board that the roof leaks.",
			"We had a lovely evening at the lake.",
		},
		obligation.Reference: {
			"A keeper must comply with section 12.",
		},
	} {
		for _, s := range sentences {
			if got := m.Degree(s, "", ""); got != want {
				t.Errorf("%q is %q, want %q", s, got, want)
			}
		}
	}
	for _, c := range []struct {
		sentence, lead string
		want           obligation.Degree
	}{
		{"(a) a lantern of glass;", "A keeper must carry:", obligation.Explicit},
		{"(a) a boat of wood;", "A club may own:", obligation.NoRule},
		{"(a) any person who works in the yard for more than a day;", "\"Worker\" means:", obligation.NoRule},
	} {
		if got := m.Degree(c.sentence, c.lead, ""); got != c.want {
			t.Errorf("%q behind %q is %q, want %q", c.sentence, c.lead, got, c.want)
		}
	}
}

// An item of a list of rules is one, unless it tells what was or what somebody does.
func TestListed(t *testing.T) {
	all := []obligation.Listing{
		{"Shoes are left at the door at all times.", "House rules", true, obligation.Plain}, {"Phones stay in the bag for the whole day.", "House rules", true, obligation.NoRule},
		{"Food is never taken upstairs.", "House rules", true, obligation.Plain}, {"The hall was painted in the spring of last year.", "House rules", true, obligation.NoRule},
		{"Phones stay in the bag for the whole day.", "A letter", true, obligation.NoRule},
	}
	obligation.Listed(all)
	for i, want := range []obligation.Degree{obligation.Plain, obligation.Plain, obligation.Plain, obligation.NoRule, obligation.NoRule} {
		if all[i].Degree != want {
			t.Errorf("%q: %q; want %q", all[i].Sentence, all[i].Degree, want)
		}
	}
}
