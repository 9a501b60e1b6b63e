package fields

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"example.com/assay/memory/text/pattern"
	"example.com/assay/skills"
)

// A page is a text as rows, with their places on the page if known.
type page struct {
	text     string
	rows     []row // the non-blank rows
	laidOut  bool  // there are boxes
	top      float64
	height   float64 // of the whole
	width    float64
	median   float64 // median height of the rows
	features map[int]*rowFeatures
	labels   map[int][]string // classes of whole rows
	keys     []string         // of rows
}

// A row is a line of the text.
type row struct {
	n          int // line, from 1
	start, end int // bytes of the text, without white space around them
	text       string
	upper      string
	boxes      []skills.LaidOut
	x1, y1     float64
	x2, y2     float64
}

func (r row) tall() float64 { return max(r.y2-r.y1, 1) }

func newPage(text string, boxes []skills.LaidOut) *page {
	p := &page{text: text, laidOut: len(boxes) > 0, features: map[int]*rowFeatures{}, labels: map[int][]string{}}
	byRow := map[int][]skills.LaidOut{}
	for _, b := range boxes {
		byRow[b.Row] = append(byRow[b.Row], b)
	}
	at, n := 0, 0
	for line := range strings.Lines(text) {
		n++
		trimmed := strings.TrimSpace(line)
		if trimmed != "" {
			start := at + strings.Index(line, trimmed)
			r := row{n: n, start: start, end: start + len(trimmed), text: trimmed, upper: strings.ToUpper(trimmed), boxes: byRow[n]}
			if len(r.upper) != len(r.text) { // offsets must agree
				r.upper = r.text
			}
			r.place(len(p.rows))
			p.rows = append(p.rows, r)
		}
		at += len(line)
	}
	p.measure()
	return p
}

// place sets the rectangle of a row: from its boxes, or else from its number.
func (r *row) place(i int) {
	if len(r.boxes) == 0 {
		r.x2, r.y1, r.y2 = float64(len(r.text)), float64(2*i), float64(2*i+1)
		return
	}
	b := r.boxes[0]
	r.x1, r.y1, r.x2, r.y2 = float64(b.X1), float64(b.Y1), float64(b.X2), float64(b.Y2)
	for _, b := range r.boxes[1:] {
		r.x1, r.y1 = min(r.x1, float64(b.X1)), min(r.y1, float64(b.Y1))
		r.x2, r.y2 = max(r.x2, float64(b.X2)), max(r.y2, float64(b.Y2))
	}
}

func (p *page) measure() {
	if len(p.rows) == 0 {
		p.height, p.width, p.median = 1, 1, 1
		return
	}
	p.top = p.rows[0].y1
	bottom := p.rows[0].y2
	var heights []float64
	for _, r := range p.rows {
		p.top, bottom, p.width = min(p.top, r.y1), max(bottom, r.y2), max(p.width, r.x2)
		heights = append(heights, r.tall())
	}
	slices.Sort(heights)
	p.median = heights[len(heights)/2]
	p.height, p.width = max(bottom-p.top, 1), max(p.width, 1)
}

// py returns the vertical position of a row's top, 0 to 1.
func (p *page) py(i int) float64 { return max(0, min(1, (p.rows[i].y1-p.top)/p.height)) }

// rowAt returns the row that contains a byte, −1 for none.
func (p *page) rowAt(at int) int {
	i, ok := slices.BinarySearchFunc(p.rows, at, func(r row, at int) int { return cmp.Compare(r.start, at) })
	if !ok {
		i--
	}
	if i < 0 || at >= p.rows[i].end {
		return -1
	}
	return i
}

// rowFeatures are the names of a row's features, for each position that it can have in a segment.
type rowFeatures struct {
	names                  []string
	in, beg, end, bef, aft []string
	stop, own, hasZip      bool
}

var (
	zipPattern   = pattern.New(`\b\d{5}\b`)
	cents        = pattern.New(`\d\.\d{2}\b`)
	dateShape    = pattern.New(`\b\d{1,4}[-/.]\d{1,2}[-/.]\d{2,4}\b`)
	longNumber   = pattern.New(`\d{7,}|\b\d{2,4}[- ]\d{3,4}[- ]?\d{3,4}\b`)
	suffixWord   = pattern.New(`\b(?:SDN|BHD|S/B|ENTERPRISES?|TRADING|CO|COMPANY|LTD|LIMITED|LLC|LLP|INC|CORP|CORPORATION|PLC|GMBH|AG|GROUP|HOLDINGS?|SHOP|STORES?|MART|MARKET|CAFE|RESTAURANT|HARDWARE|STATIONERY|SUPERMARKET|PHARMACY|BAKERY|SERVICES?|INDUSTRIES|HOTEL)\b`)
	legalForm    = pattern.New(`\b(?:SDN\.? BHD|S/B|BHD|LTD|LIMITED|LLC|LLP|INC|CORP|PLC|GMBH|AG|S\.?A|PTE)\b`)
	legalStart   = pattern.New(`^(?:\(?M\)|SDN|BHD|CO\b|COMPANY\b|LTD|LIMITED|LLC|INC|CORP|ENTERPRISE|TRADING|&|AND\b)`)
	legalEnd     = pattern.New(`(?:SDN\.? ?BHD|S/B|BHD|LTD|LIMITED|LLC|LLP|INC|CORP|PLC|GMBH|PTE)[.,]?$`)
	openEnd      = pattern.New(`(?:[&,/:(-]|\bAND|\bOF|\bBY|\bTHE)$`)
	registration = pattern.New(`\(?\b\d{4,}-?[A-Z]\)?|\b(?:CO|REG|ROC)\b.{0,12}\d{4,}|\(\d{5,}`)
	startNumber  = pattern.New(`^(?:NO|LOT|UNIT|SUITE|FLOOR|LEVEL|BLOCK|BLK|GROUND)\b`)
	stopWord     = pattern.New(`TAX INV|INVOICE|RECEIPT|\bTEL\b|\bFAX\b|PHONE|\bH/?P\b|\bGST\b|CASHIER|\bBILL\b|\bDATE\b|TABLE|WWW|@|\.COM|\bREG\b|THANK|WELCOME|\bTOTAL\b|\bQTY\b|\bITEM|CUSTOMER|MEMBER|CASH|ORDER|E-?MAIL|\bTIME\b|\bCOPY\b|STAFF|COUNTER|SERVER`)
	addressStop  = pattern.New(`TAX ?INVOICE|THANK|CASHIER|^TEL|^FAX|INVOICE NO`)
	streetWord   = pattern.New(`\b(?:JALAN|JLN|TAMAN|TMN|LORONG|LRG|LEBUH|LEBUHRAYA|PERSIARAN|KAMPUNG|KG|BANDAR|SEKSYEN|KAWASAN|PERINDUSTRIAN|ROAD|RD|STREET|AVENUE|AVE|LANE|DRIVE|BOULEVARD|BLVD|HIGHWAY|SQUARE|PARK|PLAZA|MALL|BUILDING|BANGUNAN|WISMA|MENARA|TOWER|CENTRE|CENTER|PUSAT|CITY|FLOOR|BLOCK|SECTION|DISTRICT|VILLAGE|STRASSE|RUE|BATU|KM)\b|STRASSE\b`)
	ownWord      = pattern.New(`\b(?:OWNED|OWN|OPERATED|MANAGED) BY|DIMILIKI`)
)

var featurePrefixes = []string{"in:", "beg:", "end:", "bef:", "aft:"}

// of returns the features of row i, which are computed once.
func (p *page) of(i int) *rowFeatures {
	if f, ok := p.features[i]; ok {
		return f
	}
	r := &p.rows[i]
	f := &rowFeatures{}
	add := func(name string, is bool) {
		if is {
			f.names = append(f.names, name)
		}
	}
	digits, letters, lower := 0, 0, 0
	for _, c := range r.text {
		switch {
		case unicode.IsDigit(c):
			digits++
		case unicode.IsLetter(c):
			letters++
			if unicode.IsLower(c) {
				lower++
			}
		}
	}
	first, last := r.text[0], r.text[len(r.text)-1]
	f.stop, f.own, f.hasZip = stopWord.MatchString(r.upper), ownWord.MatchString(r.upper), zipPattern.MatchString(r.upper)
	streets := min(len(streetWord.FindAllString(r.upper, -1)), 2)
	add("dg"+strconv.Itoa(min(digits/2, 4)), true)
	add("lt"+strconv.Itoa(min(letters/5, 6)), true)
	add("w"+strconv.Itoa(min(len(strings.Fields(r.text)), 8)), true)
	add("zip", f.hasZip)
	add("money", cents.MatchString(r.upper))
	add("date", dateShape.MatchString(r.upper))
	add("long", longNumber.MatchString(r.upper))
	add("colon", strings.Contains(r.text, ":"))
	add("cm"+strconv.Itoa(min(strings.Count(r.text, ","), 4)), true)
	add("endc", last == ',')
	add("endd", last == '.')
	add("endp", last == ')')
	add("suffix", suffixWord.MatchString(r.upper))
	opened, closed := strings.Count(r.text, "("), strings.Count(r.text, ")")
	add("legal", legalForm.MatchString(r.upper))
	add("legalstart", legalStart.MatchString(r.upper))
	add("legalend", legalEnd.MatchString(r.upper))
	add("openend", openEnd.MatchString(r.upper))
	add("unopened", closed > opened)
	add("unclosed", opened > closed)
	add("regno", registration.MatchString(r.upper))
	add("startno", startNumber.MatchString(r.upper))
	add("startdig", first >= '0' && first <= '9')
	add("upper", lower == 0 && letters > 0)
	add("stop", f.stop)
	add("street"+strconv.Itoa(streets), true)
	add("own", f.own)
	add("plain", digits == 0 && !f.stop && streets == 0)
	if p.laidOut {
		add("rh"+strconv.Itoa(min(int(r.tall()/p.median*2.5), 5)), true)
		add("cx"+strconv.Itoa(min(int((r.x1+r.x2)/2/p.width*4), 3)), true)
		add("boxes", len(r.boxes) > 1)
	}
	for k, list := range []*[]string{&f.in, &f.beg, &f.end, &f.bef, &f.aft} {
		*list = make([]string, len(f.names))
		for j, n := range f.names {
			(*list)[j] = featurePrefixes[k] + n
		}
	}
	p.features[i] = f
	return f
}
