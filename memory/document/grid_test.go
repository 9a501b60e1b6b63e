package document

import (
	"fmt"
	"strings"
	"testing"
)

// typed writes the blocks of all passages of a document, one a line: kind, label, what it
// stands under, and the bytes, or the cells with their headers.
func typed(t testing.TB, d Document) string {
	t.Helper()
	var b strings.Builder
	for _, p := range check(t, d, nil) {
		for _, x := range p.Blocks {
			fmt.Fprint(&b, x.Kind)
			for _, s := range []string{x.Label, x.Under, x.Number} {
				if s != "" {
					fmt.Fprintf(&b, " (%s)", s)
				}
			}
			if len(x.Cells) == 0 {
				fmt.Fprintf(&b, ": %s", p.Text[x.Start:x.End])
			}
			for i, c := range x.Cells {
				fmt.Fprintf(&b, "%s%s=%s%s", map[bool]string{true: ": ", false: ", "}[i == 0], c.Header, p.Text[c.Start:c.End], c.Text)
			}
			b.WriteByte('\n')
		}
	}
	return strings.TrimSpace(b.String())
}

// wordTable makes the rows of a table of Word. A cell is its text, with "*" before a bold one,
// "v" and ">" before one that goes on with that above or spans two columns.
func wordTable(rows ...string) string {
	var b strings.Builder
	b.WriteString("<w:tbl>")
	for _, r := range rows {
		b.WriteString("<w:tr>")
		for c := range strings.SplitSeq(r, "|") {
			props, of := "", ""
			switch {
			case strings.HasPrefix(c, "v"):
				props = "<w:vMerge/>"
				c = ""
			case strings.HasPrefix(c, "^"):
				props = `<w:vMerge w:val="restart"/>`
			case strings.HasPrefix(c, ">"):
				props = `<w:gridSpan w:val="2"/>`
			case strings.HasPrefix(c, "*"):
				of = "<w:rPr><w:b/></w:rPr>"
			}
			if strings.HasPrefix(c, "<w:tbl") {
				b.WriteString("<w:tc>" + c + "</w:tc>")
				continue
			}
			fmt.Fprintf(&b, "<w:tc><w:tcPr>%s</w:tcPr><w:p><w:r>%s<w:t>%s</w:t></w:r></w:p></w:tc>", props, of, strings.TrimLeft(c, "^>*"))
		}
		b.WriteString("</w:tr>")
	}
	return b.String() + "</w:tbl>"
}

func TestTables(t *testing.T) {
	word := func(body string) string { return docx(t, body, nil) }
	for _, c := range []struct{ name, src, want string }{
		{"a first row without digits over values names the columns.docx", word(para("", run("Prices are:")) + wordTable("Grade|Price|Order", "A|EUR 410|20 t", "B|EUR 365|40 t")),
			"heading: Prices are:\nheading: Grade; Price; Order\nrow (Prices are:): Grade=A, Price=EUR 410, Order=20 t\nrow (Prices are:): Grade=B, Price=EUR 365, Order=40 t"},
		{"merged cells are cells of each row.docx", word(wordTable("Region|City|Fee", "^North|Aven|12 EUR", "v|Bruck|14 EUR")),
			"heading: Region; City; Fee\nrow: Region=North, City=Aven, Fee=12 EUR\nrow: Region=North, City=Bruck, Fee=14 EUR"},
		{"names of two rows are joined.docx", word(wordTable("Service|>Weekday|>Weekend", "|Day|Night|Day|Night", "Plumber|50|70|80|110")),
			"heading: Service; Weekday; Weekend\nheading: Day; Night; Day; Night\nrow: Service=Plumber, Weekday Day=50, Weekday Night=70, Weekend Day=80, Weekend Night=110"},
		{"an empty corner.docx", word(wordTable("|Pump 400|Pump 700", "Power|400 W|700 W", "Lift|11 m|16 m")),
			"heading: Pump 400; Pump 700\nrow: =Power, Pump 400=400 W, Pump 700=700 W\nrow: =Lift, Pump 400=11 m, Pump 700=16 m"},
		{"years.docx", word(wordTable("Item|2024|2025", "Rent|410|430", "Heat|90|95")),
			"heading: Item; 2024; 2025\nrow: Item=Rent, 2024=410, 2025=430\nrow: Item=Heat, 2024=90, 2025=95"},
		{"labels and values.docx", word(wordTable("Name|Ines Falk", "Role:|Treasurer", "Since|3 May 2021")),
			"field (Name): Name=Ines Falk\nfield (Role): Role=Treasurer\nfield (Since): Since=3 May 2021"},
		{"two labels a row.docx", word(wordTable("Invoice no:|K-17|Date:|14 March 2026", "Customer:|Bright|Due:|13 April 2026")),
			"field (Invoice no): Invoice no=K-17\nfield (Date): Date=14 March 2026\nfield (Customer): Customer=Bright\nfield (Due): Due=13 April 2026"},
		{"bold names over words.docx", word(wordTable("*Task|*Who", "Keys|Ines", "Lights|Otto")),
			"heading: Task; Who\nrow: Task=Keys, Who=Ines\nrow: Task=Lights, Who=Otto"},
		{"values alone.docx", word(wordTable("1|2", "3|4")), "row: =1, =2\nrow: =3, =4"},
		{"rows under a row of one cell.docx", word(wordTable("Dish|Price", "Starters", "Soup|5.20", "Salad|6.40", "Mains", "Fish|14.80")),
			"heading: Dish; Price\nheading: Starters\nrow (Starters): Dish=Soup, Price=5.20\nrow (Starters): Dish=Salad, Price=6.40\nheading: Mains\nrow (Mains): Dish=Fish, Price=14.80"},
		{"one column only places text.docx", word(wordTable("Dear Ms Lumley,", "The roof is made good.")), ""},
		{"long cells.html", "<p>Terms:<table><tr><th>Plan<th>Note<tr><td rowspan=2>" + strings.Repeat("long ", 20) + "<td>one<tr><td>two</table>",
			"heading: Terms:\nheading: Plan; Note\nrow (Terms:): Plan=" + strings.TrimSpace(strings.Repeat("long ", 20)) + ", Note=one\nrow (Terms:): Plan=" + strings.TrimSpace(strings.Repeat("long ", 20)) + ", Note=two"},
		{"a caption.html", "<table><caption>Sizes</caption><tr><th>Type<th>Size<tr><td>small<td>2 bytes</table>", "heading: Type; Size\nrow (Sizes): Type=small, Size=2 bytes"},
		{"rows that begin with their names.html", "<table><tr><th>Capital<td>Paris<tr><th>Area<td>1<td>2</table>", "field (Capital): Capital=Paris\nfield (Area): Area=1, Area=2"},
		{"terms.html", "<dl><dt>Warden<dd>Sister Agathe.<dt>-e<dt>--echo<dd>Echo it.</dl>", "heading: Warden\ndefinition (Warden): Sister Agathe.\nheading: -e\nheading: --echo\ndefinition (-e, --echo): Echo it."},
		{"questions.html", "<h1>Help</h1><h2>May I eat here?</h2><p>Cold snacks only.<h2>Rooms</h2><p>Two.<details><summary>Can I print?</summary><p>In black.</details><p>Bye.",
			"answer (May I eat here?): Cold snacks only.\nanswer (Can I print?): In black."},
		{"items.html", "<p>Bring these:<ul><li>a towel<li>soap</ul>", "item (Bring these:): a towel\nitem (Bring these:): soap"},
		{"a table.md", "Fees:\n\n| Who | Fee |\n|---|---|\n| Adult | 6 EUR |\n| Child | 3 EUR |\n", "heading: Fees:\nrow (Fees:): Who=Adult, Fee=6 EUR\nrow (Fees:): Who=Child, Fee=3 EUR"},
		{"decimal commas.csv", "Artikel;Preis;Lieferzeit\nSchr\xe4nke;389,00;2 Wochen\nTisch;\"1;2\";\n", "heading: Artikel; Preis; Lieferzeit\nrow: Artikel=Schränke, Preis=389,00, Lieferzeit=2 Wochen\nrow: Artikel=Tisch, Preis=1;2"},
		{"a title.csv", "Prices 2026\n\nName, first|City|Fee\nOtto, A|Bonn|3\n", "heading: Name, first; City; Fee\nrow (Prices 2026): Name, first=Otto, A, City=Bonn, Fee=3"},
		{"tabs.tsv", "Day\tOpens\nMonday\t07:35\n", "heading: Day; Opens\nrow: Day=Monday, Opens=07:35"},
		{"no names.csv", "Tisch,149.90\nStuhl,49.50\n", "field (Tisch): Tisch=149.90\nfield (Stuhl): Stuhl=49.50"},
		{"months.csv", "Item,2026-01,2026-02\nRent,410,420\n", "heading: Item; 2026-01; 2026-02\nrow: Item=Rent, 2026-01=410, 2026-02=420"},
		{"objects.json", `[{"item":"Pen","price":{"net":2,"vat":true}},{"item":"Ink","tags":["a","b"]}]`, "heading: item; price net; price vat; tags\nrow: item=Pen, price net=2, price vat=true\nrow: item=Ink, tags=a, b"},
		{"one object.json", `{"name":"pump","lines":[{"no":1},{"no":2}],"none":null}`, "field (name): name=pump\nfield (lines 1 no): lines 1 no=1\nfield (lines 2 no): lines 2 no=2"},
		{"objects.jsonl", "{\"a\":\"x\"}\n{\"a\":\"y\",\"b\":3}", "heading: a; b\nrow: a=x\nrow: a=y, b=3"},
	} {
		d := mustRead(t, c.name, c.src, nil)
		if got := typed(t, d); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.name, got, c.want)
		}
	}
	nested := mustRead(t, "a.docx", word("<w:tbl><w:tr><w:tc>"+para("", run("Harbour"))+wordTable("Shift|Guard|Phone", "Night|Orsk|2204", "Day|Lind|2205")+para("", "")+"</w:tc></w:tr></w:tbl>"), nil)
	if got, want := typed(t, nested), "heading: Shift; Guard; Phone\nrow (Harbour): Shift=Night, Guard=Orsk, Phone=2204\nrow (Harbour): Shift=Day, Guard=Lind, Phone=2205"; got != want {
		t.Errorf("nested: %s", got)
	}
}

func TestSheets(t *testing.T) {
	row := func(n int, cells ...string) string {
		out := fmt.Sprintf(`<row r="%d">`, n)
		for i, c := range cells {
			if kind := "str"; c != "" {
				if strings.Trim(c, "0123456789.") == "" {
					kind = "n"
				}
				out += fmt.Sprintf(`<c r="%c%d" t="%s"><v>%s</v></c>`, 'A'+i, n, kind, c)
			}
		}
		return out + "</row>"
	}
	for _, c := range []struct{ name, rows, want string }{
		{"a title, and rows behind an empty one", row(1, "Expenses March") + row(3, "Date", "What", "Sum") + row(4, "9 March", "Train", "118.6") + row(6, "", "Total", "118.6"),
			"heading: Date; What; Sum\nrow (Expenses March): Date=9 March, What=Train, Sum=118.6\nrow: What=Total, Sum=118.6"},
		{"two tables side by side", row(1, "Item", "Price", "", "Team", "Head") + row(2, "Pen", "2", "", "Sales", "9") + row(3, "Ink", "7", "", "Lab", "4"),
			"heading: Item; Price\nrow: Item=Pen, Price=2\nrow: Item=Ink, Price=7\nheading: Team; Head\nrow: Team=Sales, Head=9\nrow: Team=Lab, Head=4"},
		{"merged cells", row(1, "Region", "City", "Fee") + row(2, "North", "Aven", "12") + row(3, "", "Bruck", "14") + "</sheetData><mergeCells><mergeCell ref='A2:A3'/></mergeCells><sheetData>",
			"heading: Region; City; Fee\nrow: Region=North, City=Aven, Fee=12\nrow: Region=North, City=Bruck, Fee=14"},
		{"two rows of names", row(1, "Service", "Weekday", "", "Weekend", "") + row(2, "", "Day", "Night", "Day", "Night") + row(3, "Plumber", "50", "70", "80", "110") + "</sheetData><mergeCells><mergeCell ref='B1:C1'/><mergeCell ref='D1:E1'/></mergeCells><sheetData>",
			"heading: Service; Weekday; Weekend\nheading: Day; Night; Day; Night\nrow: Service=Plumber, Weekday Day=50, Weekday Night=70, Weekend Day=80, Weekend Night=110"},
	} {
		if got := typed(t, mustRead(t, "a.xlsx", xlsx(t, c.rows, ""), nil)); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

func TestNumbersOfSheets(t *testing.T) {
	for _, c := range []struct {
		code  string
		value float64
		want  string
	}{
		{"General", 0.1 + 0.2, "0.3"}, {"", 1234.5, "1234.5"}, {"0", 2.6, "3"}, {"0.00", 118.6, "118.60"}, {"#,##0.00", 1234567.891, "1,234,567.89"},
		{"#,##0", 999, "999"}, {"000", 7, "007"}, {"0%", 0.12, "12%"}, {"0.00%", 0.125, "12.50%"}, {"0.0E+00", 12345, "1.2E+04"},
		{"#,##0.00 [$€-407]", 966.16, "966.16 €"}, {"[$£-809]#,##0.00;[Red]-[$£-809]#,##0.00", -12.5, "-£12.50"}, {`"EUR" 0.00`, 5, "EUR 5.00"}, {`_("$"* #,##0.00_)`, 3, "$3.00"},
		{"0;(0)", -4, "(4)"}, {"0;0", -4, "-4"}, {`0;-0;"none"`, 0, "none"}, {"0.0,", 1500, "1.5"}, {`0.0" kg"`, 2.25, "2.2 kg"},
		{"[h]:mm", 1.25, "30:00"}, {"[hh]:mm:ss", 1.5, "36:00:00"}, {"[mm]:ss", 0.0625, "90:00"}, {"h:mm", 0.25, "06:00"}, {"h:mm AM/PM", 0.75, "18:00"}, {"mm:ss", 0.001, "00:01:26"},
		{"dd/mm/yyyy", 46053, "2026-01-31"}, {"d. mmmm yyyy", 46053, "2026-01-31"}, {"mmm yy", 46053, "2026-01"}, {"yyyy-mm-dd hh:mm", 46053.5, "2026-01-31 12:00"}, {"dddd", 46053, "Saturday"},
		{"[Red][>=100]0.0", 120, "120.0"}, {"@", 7, "7"}, {"yyyy", -3, "-3"},
	} {
		if got := readFormat(c.code).show(c.value, false); got != c.want {
			t.Errorf("%v as %s is %q, want %q", c.value, c.code, got, c.want)
		}
	}
	if got := readFormat("yyyy-mm-dd").show(44591, true); got != "2026-01-31" {
		t.Errorf("from 1904: %s", got)
	}
}
