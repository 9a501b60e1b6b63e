package fields

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/assay/skills"
)

// laid puts lines on a page, 20 units high each; two parts of a line that stand
// apart by "  " are two boxes.
func laid(lines ...string) (string, []skills.LaidOut) {
	var text strings.Builder
	var boxes []skills.LaidOut
	for i, line := range lines {
		for k, piece := range strings.Split(line, "  ") {
			if k > 0 {
				text.WriteByte(' ')
			}
			start := text.Len()
			text.WriteString(piece)
			boxes = append(boxes, skills.LaidOut{Row: i + 1, Start: start, End: text.Len(), X1: 10 + 300*k, Y1: 20 * i, X2: 10 + 300*k + 9*len(piece), Y2: 20*i + 15})
		}
		text.WriteByte('\n')
	}
	return text.String(), boxes
}

var receiptFields = []skills.FieldSpec{
	{Path: "company", Type: "string", Format: "company", Required: "required"},
	{Path: "date", Type: "string", Format: "date", Required: "required"},
	{Path: "address", Type: "string", Format: "address", Required: "required"},
	{Path: "total", Type: "number", Format: "currency", Required: "required"},
}

func got(t *testing.T, text string, boxes []skills.LaidOut, specs []skills.FieldSpec, opts *Options) map[string]string {
	t.Helper()
	found, err := Extract(text, boxes, nil, specs, opts)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, v := range found {
		if !strings.Contains(text, v.Quote) || v.Confidence < 0 || v.Confidence > 1 || v.Row < 1 {
			t.Errorf("%+v", v)
		}
		out[v.Path] = v.Value
	}
	return out
}

func check(t *testing.T, got, want map[string]string) {
	t.Helper()
	for path, value := range want {
		if got[path] != value {
			t.Errorf("%s is %q; want %q (all: %v)", path, got[path], value, got)
		}
	}
}

// A receipt of a shop that no data set has, with boxes and without.
func TestReceipt(t *testing.T) {
	lines := []string{
		"LANTERN AND WICK SDN BHD", "(204518-K)", "NO 7, JALAN PELITA 3,", "TAMAN CAHAYA,", "47100 PUCHONG, SELANGOR.", "TEL: 03-8888 1234", "TAX INVOICE",
		"DATE: 14/02/2019  10:32:11", "BRASS LAMP  45.00", "OIL 1L  12.50", "SUBTOTAL  57.50", "GST 6%  3.45", "ROUNDING  0.00", "TOTAL  RM 60.95", "CASH  100.00", "CHANGE  39.05", "THANK YOU",
	}
	want := map[string]string{"company": "LANTERN AND WICK SDN BHD", "date": "14/02/2019", "address": "NO 7, JALAN PELITA 3, TAMAN CAHAYA, 47100 PUCHONG, SELANGOR."}
	text, boxes := laid(lines...)
	found := got(t, text, boxes, receiptFields, nil)
	check(t, found, want)
	if total := strings.TrimPrefix(found["total"], "RM "); total != "60.95" {
		t.Errorf("total %q", total)
	}
	check(t, got(t, text, nil, receiptFields, nil), map[string]string{"date": "14/02/2019"})
}

const letter = `CONFIDENTIALITY AGREEMENT

This Agreement is made and entered into as of March 4, 2015 by and between Harbour Lamps, Inc., a Delaware corporation
with its principal office at 12 Quay Road, Boston ("Harbour"), and Wickworks LLC, an Ohio limited liability company ("Wickworks").

The parties wish to talk about a business. %s

Harbour signed another agreement dated June 1, 2011 with a bank. Each notice is due within thirty (30) days.

The obligations of this Agreement shall expire two (2) years from the date hereof.

This Agreement shall be governed by and construed in accordance with the laws of the State of Vermont, without regard to
its conflict of laws principles. The courts of the State of Vermont have jurisdiction.

By: /s/ Ann Lee, Harbour Lamps, Inc.
`

var contractFields = []skills.FieldSpec{
	{Path: "effective_date", Type: "string", Format: "date", Normalise: []string{"month_first"}},
	{Path: "jurisdiction", Type: "string", Format: "jurisdiction"}, {Path: "party[]", Type: "string", Format: "party"}, {Path: "term", Type: "string", Format: "period"},
}

func TestContract(t *testing.T) {
	text := fmt.Sprintf(letter, strings.Repeat("What is said stays between them. ", 80))
	check(t, got(t, text, nil, contractFields, nil), map[string]string{
		"effective_date": "March 4, 2015", "jurisdiction": "Vermont", "term": "two (2) years", "party[0]": "Harbour Lamps, Inc.", "party[1]": "Wickworks LLC", "party[2]": "",
	})
}

// A contract that states no term has none, unless the search is wide and must.
func TestAbsent(t *testing.T) {
	text := strings.Replace(fmt.Sprintf(letter, strings.Repeat("What is said stays between them. ", 80)), "two (2) years from the date hereof", "at the end", 1)
	spec := []skills.FieldSpec{{Path: "term", Type: "string", Format: "period", Required: "required"}}
	check(t, got(t, text, nil, spec, nil), map[string]string{"term": ""})
	check(t, got(t, text, nil, spec, &Options{Wide: true}), map[string]string{"term": "thirty (30) days"})
}

func TestLabelled(t *testing.T) {
	text, boxes := laid("ORDER", "Invoice No: LW-204", "Article AB-77/C", "Customer  Due date", "Ann Lee  03/04/2020", "Issued: 01/04/2020", "VAT 19 %", "Write to lamp@example.org or call +49 30 1234567", "Status: PAID", "Lamp  2  4.50  9.00", "Oil  1  2.00  2.00", "Total  11.00")
	check(t, got(t, text, boxes, []skills.FieldSpec{
		{Path: "invoice_no", Type: "string"}, {Path: "due", Type: "string", Format: "date", Anchors: []string{"Due date"}}, {Path: "issued", Type: "string", Format: "date"},
		{Path: "vat", Type: "number", Format: "percent"}, {Path: "mail", Type: "string", Format: "email"}, {Path: "phone", Type: "string", Format: "phone", Anchors: []string{"call"}},
		{Path: "status", Type: "string", Enum: []string{"open", "paid"}}, {Path: "code", Type: "string", Pattern: `^[A-Z]{2}-\d+/[A-Z]$`}, {Path: "weight", Type: "number"},
		{Path: "items[].name", Type: "string"}, {Path: "items[].qty", Type: "integer"}, {Path: "items[].unit_price", Type: "number"}, {Path: "items[].amount", Type: "number"},
	}, nil), map[string]string{
		"invoice_no": "LW-204", "due": "03/04/2020", "issued": "01/04/2020", "vat": "19 %", "mail": "lamp@example.org", "phone": "+49 30 1234567", "status": "paid", "code": "AB-77/C", "weight": "",
		"items[0].name": "Lamp", "items[0].amount": "9.00", "items[0].unit_price": "4.50", "items[1].amount": "2.00", "items[2].amount": "",
	})
}

// Rank is a softmax: it sums to one, agrees with a plain second version, and joins
// candidates of one key.
// What a schema says of a field chooses between values, and a string is given as it stands.
func TestChoosing(t *testing.T) {
	fifty, one := 50.0, 1.0
	text := "Spare part request\n\nPart code: =1+1\nSerial: 000417\nPriority (low / normal / high): high\nPrice 55 EUR, price 48 EUR\nShelf: 0\nVendor: Wick & Sons Ltd\nIssued: 3 May 2026\nHourly rate: 14.20\nResult: [ ] passed [x] passed after repair [ ] failed\nDept: Paint shop\nDays left: 22 1/2\nWorking days ...15....\nRemark: ...........\n"
	check(t, got(t, text, nil, []skills.FieldSpec{
		{Path: "part_code", Type: "string"}, {Path: "serial", Type: "string"}, {Path: "priority", Type: "string", Enum: []string{"low", "normal", "high"}},
		{Path: "price", Type: "number", Maximum: &fifty}, {Path: "shelf", Type: "integer", Minimum: &one}, {Path: "issue_date", Type: "string", Format: "date"},
		{Path: "hourly_rate", Type: "number"}, {Path: "vendor", Type: "string"}, {Path: "result", Type: "string", Enum: []string{"passed", "passed after repair", "failed"}},
		{Path: "department", Type: "string"}, {Path: "days_left", Type: "number"}, {Path: "working_days", Type: "integer"}, {Path: "remark", Type: "string"},
	}, nil), map[string]string{
		"result": "passed after repair", "department": "Paint shop", "days_left": "22.5", "working_days": "15", "remark": "",
		"part_code": "=1+1", "serial": "000417", "priority": "high", "price": "48", "shelf": "", "issue_date": "3 May 2026", "hourly_rate": "14.20", "vendor": "Wick & Sons Ltd",
	})
}

// Rows without a header are read by what their columns hold; a balance is no amount.
func TestBareRows(t *testing.T) {
	text := "02 Oct  Salary mill    +1,980.00   3,184.17\n05 Oct  Rent October     -790.00   2,394.17\n14 Oct  Electricity       -66.40   2,327.77\n"
	var blocks []skills.TextBlock
	at := 0
	for line := range strings.Lines(text) {
		b := skills.TextBlock{Kind: "row", Start: at, End: at + len(line) - 1}
		for from := 0; from < len(line)-1; {
			to := len(line) - 1
			if gap := strings.Index(line[from:], "  "); gap > 0 {
				to = from + gap
			}
			b.Cells = append(b.Cells, skills.TextCell{Start: at + from, End: at + to})
			for from = to; from < len(line) && (line[from] == ' ' || line[from] == '\n'); from++ {
			}
		}
		blocks, at = append(blocks, b), at+len(line)
	}
	found, err := Extract(text, nil, blocks, []skills.FieldSpec{{Path: "entries[].text", Type: "string"}, {Path: "entries[].amount", Type: "number"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, v := range found {
		out[v.Path] = v.Value
	}
	check(t, out, map[string]string{"entries[0].text": "Salary mill", "entries[0].amount": "1980.00", "entries[1].amount": "-790.00", "entries[2].text": "Electricity", "entries[2].amount": "-66.40"})
}

// rowsOf makes blocks of lines of cells "Name: value; …".
func rowsOf(text string) (blocks []skills.TextBlock) {
	at := 0
	for line := range strings.Lines(text) {
		b := skills.TextBlock{Kind: "row", Start: at, End: at + len(strings.TrimSpace(line))}
		from := at
		for cell := range strings.SplitSeq(strings.TrimSpace(line), "; ") {
			name, value, _ := strings.Cut(cell, ": ")
			b.Cells = append(b.Cells, skills.TextCell{Header: name, Start: from + len(cell) - len(value), End: from + len(cell)})
			from += len(cell) + len("; ")
		}
		blocks, at = append(blocks, b), at+len(line)
	}
	return blocks
}

// A row may lack cells, a mark stands in the column of its choice, and products tell prices apart.
func TestRows(t *testing.T) {
	for _, c := range []struct {
		text  string
		specs []skills.FieldSpec
		want  map[string]string
	}{
		{"Item: Brakes; OK: X; Remark: pads 6 mm\nItem: Tyres; Not OK: X\nItem: Lamps; OK: X\n",
			[]skills.FieldSpec{{Path: "checks[].item", Type: "string"}, {Path: "checks[].status", Type: "string", Enum: []string{"ok", "not ok"}}, {Path: "checks[].remark", Type: "string"}},
			map[string]string{"checks[0].item": "Brakes", "checks[0].status": "ok", "checks[0].remark": "pads 6 mm", "checks[1].item": "Tyres", "checks[1].status": "not ok", "checks[1].remark": "", "checks[2].status": "ok"}},
		{"Topic: Staff; 1: ; 2: ; 3: X; Why: kind\nTopic: Hours; 1: X; 2: ; 3: ; Why: too short\n",
			[]skills.FieldSpec{{Path: "marks[].topic", Type: "string"}, {Path: "marks[].mark", Type: "integer"}, {Path: "marks[].why", Type: "string"}},
			map[string]string{"marks[0].topic": "Staff", "marks[0].mark": "3", "marks[1].mark": "1", "marks[1].why": "too short"}},
		{"Qty Article: 2 Lamp, brass; Price: 4.50; Total: 9.00\nQty Article: 1 Oil; Price: 2.00; Total: 2.00\n",
			[]skills.FieldSpec{{Path: "items[].article", Type: "string"}, {Path: "items[].quantity", Type: "integer"}, {Path: "items[].total", Type: "number"}},
			map[string]string{"items[0].quantity": "2", "items[0].article": "Lamp, brass", "items[1].quantity": "1", "items[1].total": "2.00"}},
		{"Line: 1; Article: Board; Ordered: 24\nLine: 2; Article: Post; Ordered: 15\nLine: Lorry; Article: SG 71 TMB\n",
			[]skills.FieldSpec{{Path: "items[].article", Type: "string"}, {Path: "items[].ordered", Type: "integer"}},
			map[string]string{"items[0].article": "Board", "items[1].ordered": "15", "items[2].article": ""}},
		{"Description: Room; Qty: 4; Price: 128.00; Amount EUR: 512.00\nDescription: Bed; Qty: 4; Price: 22.50; Amount EUR: 90.00\n",
			[]skills.FieldSpec{{Path: "items[].description", Type: "string"}, {Path: "items[].quantity", Type: "integer"}, {Path: "items[].unit_price", Type: "number"}, {Path: "items[].amount", Type: "number"}},
			map[string]string{"items[0].quantity": "4", "items[0].unit_price": "128.00", "items[0].amount": "512.00", "items[1].unit_price": "22.50", "items[1].amount": "90.00"}},
	} {
		found, err := Extract(c.text, nil, rowsOf(c.text), c.specs, nil)
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]string{}
		for _, v := range found {
			out[v.Path] = v.Value
		}
		check(t, out, c.want)
	}
	empty := append(rowsOf("Item: Lamp; Qty: 2\n"), skills.TextBlock{Kind: "row", Start: 0, End: 4})
	if _, err := Extract("Item: Lamp; Qty: 2\n", nil, empty, []skills.FieldSpec{{Path: "items[].item", Type: "string"}, {Path: "items[].qty", Type: "integer"}}, nil); err != nil {
		t.Error(err)
	}
}

func TestRankOracle(t *testing.T) {
	weights := map[string]float64{"a": 1, "b": -.5, "c": 2}
	list := []Candidate{{Key: "x", Features: []string{"a"}}, {Key: "y", Features: []string{"b", "b", "unknown"}}, {Key: "x", Features: []string{"c"}, Value: "best"}}
	e := []float64{math.Exp(1), math.Exp(-1), math.Exp(2)}
	sum := e[0] + e[1] + e[2]
	ranked := Rank(list, weights)
	if len(ranked) != 2 || ranked[0].Value != "best" || math.Abs(ranked[0].P-(e[0]+e[2])/sum) > 1e-12 || math.Abs(ranked[1].P-e[1]/sum) > 1e-12 {
		t.Errorf("%+v", ranked)
	}
}

// No feature is a word of a document: each is of a fixed vocabulary.
func TestNoWords(t *testing.T) {
	w, err := Default()
	if err != nil {
		t.Fatal(err)
	}
	if len(w.Trained) != 1 || w.Trained[0].Items == 0 {
		t.Errorf("trained on %+v", w.Trained)
	}
	for _, kind := range Kinds() {
		if len(w.Rankers[kind]) == 0 {
			t.Errorf("%s has no weights", kind)
		}
		for name := range w.Rankers[kind] {
			rest, ok := strings.CutPrefix(name, "KK=")
			if !ok {
				if strings.ContainsFunc(strings.TrimLeft(name, "KPN="), func(r rune) bool { return r >= 'A' && r <= 'Z' }) && !strings.Contains(name, "K=") && !strings.HasPrefix(name, "isT") && name != "lastT" {
					t.Errorf("%s: the feature %q is no shape or class", kind, name)
				}
				continue
			}
			for _, c := range strings.Split(rest, "+") {
				known := c == ""
				for _, l := range labelClasses {
					known = known || l.name == strings.TrimPrefix(c, "n")
				}
				if !known {
					t.Errorf("%s: %q is no class", name, c)
				}
			}
		}
	}
}

func TestDoubts(t *testing.T) {
	text := "SHOP\nCASH 50.00\nTOTAL 40.00\n"
	found := []skills.ExtractedField{{Path: "total", Value: "50.00", Row: 2}, {Path: "company", Value: "TAX INVOICE 20451"}, {Path: "address", Value: "somewhere"}}
	if d := Doubts(text, receiptFields, found); len(d) != 3 {
		t.Errorf("%+v", d)
	}
	if d := Doubts(text, receiptFields, []skills.ExtractedField{{Path: "total", Value: "40.00", Row: 3}, {Path: "nothing", Value: "1"}}); len(d) != 0 {
		t.Errorf("%+v", d)
	}
}

// A line to write on says nothing, and is not the end of the reading.
func TestLinesToWriteOn(t *testing.T) {
	text := "Name\n..........\nTotal .......... 6.95\n. . . . .\n\t|\t\n"
	found, err := Extract(text, nil, nil, receiptFields, &Options{Wide: true})
	if err != nil || !slices.ContainsFunc(found, func(f skills.ExtractedField) bool { return f.Path == "total" && f.Value == "6.95" }) {
		t.Errorf("%+v, %v", found, err)
	}
}

func TestBadBoxes(t *testing.T) {
	if _, err := Extract("a", []skills.LaidOut{{Row: 1, Start: 0, End: 9}}, nil, receiptFields, nil); err == nil {
		t.Error("a box beyond the text was taken")
	}
}

// Whatever the text, what is found stands in it, twice the same.
func FuzzExtract(f *testing.F) {
	// Seeds are short: what is found with long ones is made small at great length.
	f.Add("A LTD\n1 ROAD\nTOTAL 6.95\n", "total")
	f.Add("By A Inc. and B Co., May 4, 2015, for two years, laws of Ohio", "DATE")
	f.Add("ß TOTAL ı 1.00 ſ\nİstanbul: x", "ſ")
	f.Fuzz(func(t *testing.T, text, label string) {
		specs := slices.Concat(receiptFields, contractFields, []skills.FieldSpec{{Path: "x", Type: "string", Anchors: []string{label}}, {Path: "n", Type: "number", Anchors: []string{label}},
			{Path: "e", Type: "string", Enum: []string{label}}, {Path: "items[].name", Type: "string"}, {Path: "items[].amount", Type: "number"},
			{Path: "vendor", Type: "string"}, {Path: "customer_number", Type: "string"}, {Path: "due_date", Type: "string", Format: "date"}, {Path: "current_employer", Type: "string"}, {Path: "city", Type: "string"},
			{Path: "notice_period", Type: "string"}, {Path: "consent", Type: "boolean"}, {Path: "languages[]", Type: "string"}, {Path: "jobs[].title", Type: "string"}, {Path: label, Type: "string"}})
		var boxes []skills.LaidOut
		if len(text) > 3 {
			boxes = []skills.LaidOut{{Row: 1, Start: 0, End: 2, X2: 5, Y2: 5}, {Row: 2, Start: 1, End: 3, X1: -5, X2: 5, Y2: 5}}
		}
		var blocks []skills.TextBlock
		for i, at := 0, 0; i < 6 && len(text) > 0; i++ { // some that a reader may give, and some that none gives
			end := min(len(text), at+len(text)/(i+1)+1)
			mid := (at + end) / 2
			blocks = append(blocks, skills.TextBlock{Kind: []string{"row", "field", "item", "answer"}[i%4], Start: at, End: end, Label: label, Under: label,
				Cells: []skills.TextCell{{Header: label, Start: at, End: mid}, {Header: "Total", Start: mid, End: end}}[:2-i%2]})
			at = end - i%2
		}
		for _, b := range [][]skills.LaidOut{nil, boxes} {
			first, err := Extract(text, b, blocks, specs, &Options{Wide: true})
			if err != nil {
				t.Fatal(err)
			}
			again, err := Extract(text, b, blocks, specs, &Options{Wide: true})
			if err != nil || !slices.Equal(first, again) {
				t.Fatalf("%v and %v, %v", first, again, err)
			}
			for _, v := range first {
				if !strings.Contains(text, v.Quote) || v.Quote == "" {
					t.Fatalf("%+v", v)
				}
			}
		}
	})
}

// A window of one line that is full of values is read in time that grows with its
// length, and not with the square of it.
func TestLongLine(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures time")
	}
	specs := slices.Concat(receiptFields, contractFields, []skills.FieldSpec{{Path: "n", Type: "number"}})
	took := func(repeats int) time.Duration {
		text := strings.Repeat("total 5.00 Ann Lee Inc. two years 4/5/2019 Vermont ", repeats)
		began := time.Now()
		if _, err := Extract(text, nil, nil, specs, nil); err != nil {
			t.Fatal(err)
		}
		return time.Since(began)
	}
	took(100) // what is made once
	short, long := took(1000), took(4000)
	if ratio := long.Seconds() / short.Seconds(); ratio > 10 { // 4 where time grows with the length, 16 with its square
		t.Errorf("a line four times as long takes %.1f times as long: %v and %v", ratio, short, long)
	}
}
