package docfile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/assay/decide/fields"
	"example.com/assay/nodes/extract/docfile"
	"example.com/assay/skills"
)

// Each form shows one way in which papers say what a value is.
func TestForms(t *testing.T) {
	for _, c := range []struct {
		name, file, text string
		fields           string // "path type" or "path type format", parted by ";"
		want             string // "path=value", parted by ";"; a field that is not named is empty
	}{
		{"no space behind the colon", "a.txt", "PATIENT:Ottilie Marsh\nDOB:30/01/1984\nTEL:01555 700 118\n", "patient string;phone string phone;date_of_birth string date", "patient=Ottilie Marsh;phone=01555 700 118;date_of_birth=30/01/1984"},
		{"labels inside a value", "a.txt", "Signature: Ottilie Marsh Date: 14/01/2026\n", "signed_on string date;signed_by string", "signed_on=14/01/2026;signed_by=Ottilie Marsh"},
		{"parted by dashes", "a.md", "IBAN : FR76 0000 5555 0199 0012 3456 789 – BIC : MONTFRXX\n", "iban string;bic string", "iban=FR76 0000 5555 0199 0012 3456 789;bic=MONTFRXX"},
		{"boxes behind their choices", "a.txt", "Smoker: Yes ☐ No ☒\nAllergies: Yes ☒ No ☐ If yes, which: nuts\n", "smoker boolean;allergies string", "smoker=false;allergies=nuts"},
		{"boxes in front", "a.md", "**How will you pay?**  [ ] cash   [x] standing order   [ ] card\n", "payment_method string", "payment_method=standing order"},
		{"a span of time", "a.txt", "Billing period: 1 Dec 2025 to 28 Feb 2026\n", "period_start string date;period_end string date", "period_start=1 Dec 2025;period_end=28 Feb 2026"},
		{"names above values", "a.txt", "DEPARTS                    ARRIVES\nThornby Central            Saltmere Quay\n\nMore.\n", "departure string;arrival string", "departure=Thornby Central;arrival=Saltmere Quay"},
		{"two sections", "a.txt", "Customer\nName         Ottilie Marsh\nIBAN         DE00 3333 0000 0044 5566 77\n\nPayee\nName         Roof & Gutter Ltd\nIBAN         DE00 7777 0000 0098 7654 32\n", "customer string;customer_iban string;recipient string;recipient_iban string", "customer=Ottilie Marsh;customer_iban=DE00 3333 0000 0044 5566 77;recipient=Roof & Gutter Ltd;recipient_iban=DE00 7777 0000 0098 7654 32"},
		{"columns by their product", "a.txt", "10  BB-22  Hex bolt, zinc     400 pcs  GBP 0.21   GBP 84.00\n20  BB-77  Shaft collar wide   12 pcs  GBP 6.75   GBP 81.00\n", "items[].quantity number;items[].unit_price number;items[].amount number;items[].part_number string", "items[0].quantity=400;items[0].unit_price=0.21;items[0].amount=84.00;items[0].part_number=BB-22;items[1].quantity=12;items[1].unit_price=6.75;items[1].amount=81.00;items[1].part_number=BB-77"},
		{"what is left to pay", "a.md", "| | |\n|---|---|\n| Total | 751.30 |\n| Deposit received | 200.00 |\n| Balance due | 551.30 |\n", "total number;deposit number;amount_due number", "total=751.30;deposit=200.00;amount_due=551.30"},
		{"a table below another", "a.md", "| Item | Price |\n|---|---|\n| Lamp | 5.00 |\n\n| | |\n|---|---|\n| Total | 5.50 |\n", "total number;items[].item string;items[].price number", "total=5.50;items[0].item=Lamp;items[0].price=5.00"},
		{"client and consultant", "a.txt", "This agreement is made between Willow Society of The Pavilion, Moss Lane (the \"Client\") and Dr Fenella Trask of 9 Ropewalk (the \"Consultant\").\n", "client string;consultant string", "client=Willow Society;consultant=Dr Fenella Trask"},
		{"who signs a mail", "a.txt", "Good morning Priyanka,\n\nplease send the goods.\n\nBest regards\nLeopold Strand\nSenior Buyer, Kestrel Mills Ltd\n", "seller string;supplier_contact string", "seller=Kestrel Mills Ltd;supplier_contact=Leopold Strand"},
		{"absent", "a.txt", "Invoice no: 17\nTotal: 12.50\nCard ending 0071\n", "deposit number;vat_amount number;order_number string;due_date string date", ""},
		{"cells with lines", "a.html", "<table><tr><td><b>Linden Press B.V.</b><br>Mill Quay 14<br>Overveen</td><td>Invoice no: 26-77<br>Date: 3 April 2026</td></tr></table><p>Thank you.</p>", "supplier string;invoice_number string;invoice_date string date", "supplier=Linden Press B.V.;invoice_number=26-77;invoice_date=3 April 2026"},
		{"labels and values in four columns", "a.html", "<table><tr><td>Family name</td><td>Marsh</td><td>Known as</td><td>Kit</td></tr><tr><td>Address</td><td>7 Court Road</td><td>Date of birth</td><td>21 August 2021</td></tr></table>", "surname string;nickname string;address string;date_of_birth string date", "surname=Marsh;nickname=Kit;address=7 Court Road;date_of_birth=21 August 2021"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), c.file)
			if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			docs, err := docfile.Read(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			var blocks []skills.TextBlock
			for _, b := range docs[0].Blocks {
				block := skills.TextBlock{Kind: string(b.Kind), Start: b.Start, End: b.End, Label: b.Label, Under: b.Under}
				for _, cell := range b.Cells {
					block.Cells = append(block.Cells, skills.TextCell{Header: cell.Header, Start: cell.Start, End: cell.End})
				}
				blocks = append(blocks, block)
			}
			var specs []skills.FieldSpec
			for f := range strings.SplitSeq(c.fields, ";") {
				words := append(strings.Fields(f), "")
				specs = append(specs, skills.FieldSpec{Path: words[0], Type: words[1], Format: words[2]})
			}
			found, err := fields.Extract(docs[0].Text, nil, blocks, specs, nil)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, v := range found {
				got = append(got, v.Path+"="+v.Value)
			}
			want := strings.Split(c.want, ";")
			if c.want == "" {
				want = nil
			}
			for _, w := range want {
				if !strings.Contains(";"+strings.Join(got, ";")+";", ";"+w+";") {
					t.Errorf("got %q; want %q", got, w)
				}
			}
			if len(got) != len(want) {
				t.Errorf("got %d values %q; want %q", len(got), got, want)
			}
		})
	}
}
