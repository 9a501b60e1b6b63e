package document

import (
	"fmt"
	"strings"
	"testing"

	"example.com/assay/memory/text"
	"example.com/assay/state"
)

// told writes the blocks of a text, each on a line.
func told(d Document) string {
	var b strings.Builder
	var tell func(list []Block)
	tell = func(list []Block) {
		for _, p := range list {
			tell(p.Blocks)
			if p.Kind == "" {
				continue
			}
			fmt.Fprintf(&b, "%s", p.Kind)
			for _, part := range []struct{ sign, text string }{{"#", p.Number}, {"@", p.Label}, {"^", p.Under}} {
				if part.text != "" {
					fmt.Fprintf(&b, " %s%s", part.sign, part.text)
				}
			}
			if p.Kind == state.BlockRow || p.Kind == state.BlockField {
				for _, c := range p.Cells {
					fmt.Fprintf(&b, " [%s=%s]", c.Header, d.Text[c.Start:c.End])
				}
			} else {
				fmt.Fprintf(&b, ": %s", text.OneLine(d.Text[p.Start:p.End]))
			}
			b.WriteByte('\n')
		}
	}
	tell(d.Blocks)
	return strings.TrimSpace(b.String())
}

func TestStructure(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a field", "Invoice no: K-7", "field @Invoice no [Invoice no=K-7]"},
		{"fields set apart", "Invoice no: K-7     Date: 3 May", "field @Invoice no [Invoice no=K-7]\nfield @Date [Date=3 May]"},
		{"fields in sentences", "Present: Ana, Bo. Excused: Dov.", "field @Present [Present=Ana, Bo.]\nfield @Excused [Excused=Dov.]"},
		{"a label above its value", "Bill to:\nBright Dental\n12 High Street\nDate: 3 May", "field @Bill to [Bill to=Bright Dental] [Bill to=12 High Street]\nfield @Date [Date=3 May]"},
		{"no labels", "See https://x.example for more.\nThe shop opens at 8:30 every day.", ""},
		{"a sentence with a colon", "We ask all guests the following: leave your shoes at the door, and do not ring the bell after ten in the evening.", ""},
		{"a message", "[10:02] Ana: who has the key?\nBo (10:03): me", "field @Ana [Ana=who has the key?]\nanswer @who has the key?: Bo (10:03): me"},
		{"messages with dates", "12/11/2026, 18:02 - Ana: who has the key?\n12/11/2026, 18:03 - Bo: Carl took it\n12/11/2026, 18:04 - Carl: yes\n12/11/2026, 18:05 - Dee: late again", "field @Ana [Ana=who has the key?]\nanswer @who has the key?: 12/11/2026, 18:03 - Bo: Carl took it\nanswer @who has the key?: 12/11/2026, 18:04 - Carl: yes\nfield @Dee [Dee=late again]"},
		{"messages with names in brackets", "[18:02] <ana> who has the key?\n[18:03] <ana> anyone?\n[18:04] <bo> me", "field @ana [ana=who has the key?]\nfield @ana [ana=anyone?]\nanswer @anyone?: [18:04] <bo> me"},
		{"an interview", "Interviewer: Where did you learn the trade?\nMr Osei: In Kumasi, with my uncle.\nMr Osei: It was hard.", "field @Interviewer [Interviewer=Where did you learn the trade?]\nanswer @Where did you learn the trade?: Mr Osei: In Kumasi, with my uncle.\nanswer @Where did you learn the trade?: Mr Osei: It was hard."},
		{"a long label above a question", "Datenschutzbeauftragter Verschwiegenheitsverpflichtungen:\nwho has to be told when somebody leaves, and when will all of them have been told?", "heading: Datenschutzbeauftragter Verschwiegenheitsverpflichtungen:"},
		{"a subject that asks", "Subject line: Can we move the meeting?\nSent on: 3 May\nRoom: 12", "field @Subject line [Subject line=Can we move the meeting?]\nfield @Sent on [Sent on=3 May]\nfield @Room [Room=12]"},
		{"settings", "[mail]\nhost = a.example ; the old one\nport = 25", "heading: [mail]\nfield @host ^mail [host=a.example]\nfield @port ^mail [port=25]"},
		{"settings in settings", "server:\n  host: a.example\n  tls:\n    port: 443\nname: x", "heading: server:\nfield @host ^server [host=a.example]\nheading ^server: tls:\nfield @port ^server > tls [port=443]\nfield @name [name=x]"},
		{"questions", "Q: May I park here?\nA: Yes, in row B.\n\nQ2: Is it free?\n\nA2: On Sundays.", "heading: Q: May I park here?\nanswer @May I park here?: Yes, in row B.\nheading: Q2: Is it free?\nanswer @Is it free?: On Sundays."},
		{"questions without letters", "Where is the key?\nUnder the mat.\n\nWho has another?\nThe neighbour.", "heading: Where is the key?\nanswer @Where is the key?: Under the mat.\nheading: Who has another?\nanswer @Who has another?: The neighbour."},
		{"a list", "You need:\n\n- a pen\n\n- paper that\n  is white", "item @You need:: a pen\nitem @You need:: paper that is white"},
		{"steps", "To open:\n1. Turn the key.\n2. Push.", "step #1 @To open:: 1. Turn the key.\nstep #2 @To open:: 2. Push."},
		{"articles", "Chapter I  General\n\nArticle 1 (Aim)\nThis law helps.\n\nArticle 2 (Terms)\n(1) A berth is a place.\n(2) The holder\n a) pays;\n b) cleans.\n\nChapter II  Rest\n\nArticle 3\nNone.",
			"heading #I: Chapter I General\nheading #1 ^Chapter I General: Article 1 (Aim)\nparagraph #1 ^Chapter I General > Article 1 (Aim): This law helps.\nheading #2 ^Chapter I General: Article 2 (Terms)\n" +
				"clause #2(1) ^Chapter I General > Article 2 (Terms): (1) A berth is a place.\nclause #2(2) ^Chapter I General > Article 2 (Terms): (2) The holder\nclause #2(2)(a) @The holder ^Chapter I General > Article 2 (Terms): a) pays;\nclause #2(2)(b) @The holder ^Chapter I General > Article 2 (Terms): b) cleans.\n" +
				"heading #II: Chapter II Rest\nheading #3 ^Chapter II Rest: Article 3\nparagraph #3 ^Chapter II Rest > Article 3: None."},
		{"clauses", "4.1 The client pays.\n4.2 The client\n  (a) calls, or\n  (b) writes.", "clause #4.1: 4.1 The client pays.\nclause #4.2: 4.2 The client\nclause #4.2(a) @The client: (a) calls, or\nclause #4.2(b) @The client: (b) writes."},
		{"amounts and dates that number nothing", "3.5 kg of flour are needed.\n3. März 2026 war ein Dienstag.", ""},
		{"Japanese articles", "第一条 目的は保護である。\n第二条 会員は会費を払う。", "clause #1: 第一条 目的は保護である。\nclause #2: 第二条 会員は会費を払う。"},
		{"definitions", "\"Site\" means the house at the quay.\n\"User\" means a person with a key.", "definition @Site: \"Site\" means the house at the quay.\ndefinition @User: \"User\" means a person with a key."},
		{"speech", "\"We are closed today,\" said the owner of the shop.", ""},
		{"a glossary", "- Pomace – what is left of the apples\n- Must – the juice before it ferments", "definition @Pomace: - Pomace – what is left of the apples\ndefinition @Must: - Must – the juice before it ferments"},
		{"capitals", "OPENING HOURS\n\nThe shop opens at nine.\n\nPRICES\nEntry is 5 euros.", "heading: OPENING HOURS\nparagraph ^OPENING HOURS: The shop opens at nine.\nheading: PRICES\nparagraph ^PRICES: Entry is 5 euros."},
		{"a line above a rule", "Usage\n=====\n\nRun it twice.", "heading: Usage\nparagraph ^Usage: Run it twice."},
		{"a program's options", "OPTIONS\n    -v, --verbose\n        Say more.\n        And more.", "heading: OPTIONS\ndefinition @-v, --verbose ^OPTIONS: -v, --verbose Say more. And more."},
		{"titles in bold", "**§ 6 Fees.** The fee is due in May.\n\n**Noise.** Saws run until 7.\n\n**Cheese** - the stack of pulp.", "clause #6 @§ 6 Fees: **§ 6 Fees.** The fee is due in May.\nparagraph @Noise: **Noise.** Saws run until 7.\ndefinition @Cheese: **Cheese** - the stack of pulp."},
		{"a number in bold", "**§ 7 Fees.**\n\nThey are due in May.\n\n**§ 8 Votes.** A majority decides.", "heading #7: **§ 7 Fees.**\nparagraph #7 ^§ 7 Fees: They are due in May.\nclause #8 @§ 8 Votes: **§ 8 Votes.** A majority decides."},
		{"a table", "Item     Price  Left\nPen       1.20    4\nPaper    12.00   17", "row [Item=Pen] [Price=1.20] [Left=4]\nrow [Item=Paper] [Price=12.00] [Left=17]"},
		{"short names above long texts", "Risk             Measure\nThe pump fails   Call the plumber at once\nThe lamp fails   Light the spare lamp by hand", "row [Risk=The pump fails] [Measure=Call the plumber at once]\nrow [Risk=The lamp fails] [Measure=Light the spare lamp by hand]"},
		{"empty cells", "Day    Monday  Tuesday\n8:00   Maths   Art\n9:00           Sport", "row [Day=8:00] [Monday=Maths] [Tuesday=Art]\nrow [Day=9:00] [Monday=] [Tuesday=Sport]"},
		{"a header in another block", "Item       Price\n\nPen         1.20\nPaper      12.00", "row [Item=Pen] [Price=1.20]\nrow [Item=Paper] [Price=12.00]"},
		{"a table without a header", "Pen         1.20\nPaper      12.00", "field @Pen [Pen=1.20]\nfield @Paper [Paper=12.00]"},
		{"two tables side by side", "Earnings            Deductions\nBasic     2,850.00  Tax       362.40\nOvertime    180.50  Pension   142.50", "field @Basic ^Earnings [Basic=2,850.00]\nfield @Tax ^Deductions [Tax=362.40]\nfield @Overtime ^Earnings [Overtime=180.50]\nfield @Pension ^Deductions [Pension=142.50]"},
		{"names in capitals", "COLD STORES     PAY ADVICE\nNAME            NO.     DEPT (no)\nOda Finch       583     Night\nNAME OF ROOM    PERIOD  RATE\nLoading         05/25   13.80", "row [NAME=Oda Finch] [NO.=583] [DEPT (no)=Night]\nrow [NAME OF ROOM=Loading] [PERIOD=05/25] [RATE=13.80]"},
		{"a label and a value in capitals", "Bank    Penny & Lark\nBIC     PENLARKX\nHolder  Ida Wand", "field @Bank [Bank=Penny & Lark]\nfield @BIC [BIC=PENLARKX]\nfield @Holder [Holder=Ida Wand]"},
		{"two halves with a bar", "PAYMENTS   AMOUNT  | DEDUCTIONS  AMOUNT\nBasic pay  20.00   | PAYE tax     2.10\nOvertime    3.00   | Pension      1.00", "row [PAYMENTS=Basic pay] [AMOUNT=20.00] [DEDUCTIONS=PAYE tax] [AMOUNT=2.10]\nrow [PAYMENTS=Overtime] [AMOUNT=3.00] [DEDUCTIONS=Pension] [AMOUNT=1.00]"},
		{"names of all columns but the first", "          S2       S2 Plus\nRange     32 km    51 km\nWeight    14.2 kg  17.9 kg", "row [=Range] [S2=32 km] [S2 Plus=51 km]\nrow [=Weight] [S2=14.2 kg] [S2 Plus=17.9 kg]"},
		{"an address beside labels", "Mrs               Invoice no.      26-00873\nIda Wand          Invoice date     24/03/2026\nCress Cottage     Treated by       5 March", "row [=Mrs] [=Invoice no.] [=26-00873]\nrow [=Ida Wand] [=Invoice date] [=24/03/2026]\nrow [=Cress Cottage] [=Treated by] [=5 March]"},
		{"a code beside its name", "Invoice no.      MD-25-0873\nIda Wand          Invoice date     04/09/2025\nCress Cottage     Patient no.      11962", "field @Invoice no [Invoice no=MD-25-0873]\nrow [=Ida Wand] [=Invoice date] [=04/09/2025]\nrow [=Cress Cottage] [=Patient no.] [=11962]"},
		{"rows to fill in", "Surname ....Wand.......   First name ...Ida Marie....\nStreet  ....Cress 4....   Phone ....555 33....", "row [=Surname] [=Wand] [=First name] [=Ida Marie]\nfield @Street [Street=Cress 4]\nfield @Phone [Phone=555 33]"},
		{"dots to write on", "Date ..2 June 2025..           Days ...15....", "field @Date [Date=2 June 2025]\nfield @Days [Days=15]"},
		{"names below what is filled in", "....7 / 3 / 1988....            ....Illustrator....\n Date of birth          Occupation", "field @Date of birth [Date of birth=7 / 3 / 1988]\nfield @Occupation [Occupation=Illustrator]"},
		{"small print below what is filled in", "……… Cress Cottage ………\n<sub>address</sub>", "field @address [address=Cress Cottage]"},
		{"dots", "Soup ........... 4,50\nBread .......... 1,00", "field @Soup [Soup=4,50]\nfield @Bread [Bread=1,00]"},
		{"bars", "| Task | Who |\n|---|---|\n| Ask | Ana |", "row [Task=Ask] [Who=Ana]"},
		{"an earlier mail", "Thanks.\n\nOn 3 May 2026 Ana wrote:\n> Come at ten.\n> Bye\n\nRegards", "quoted: On 3 May 2026 Ana wrote: > Come at ten. > Bye"},
	} {
		d := FromText("x", c.text)
		if got := told(d); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}
