package values

import (
	"strconv"
	"strings"

	"example.com/assay/memory/text"
)

var (
	halves = vocabulary(`
		am: am a.m 午前 上午
		pm: pm p.m 午後 下午
	`)
	hourWords = text.Set(`uhr uur h o'clock o’clock heures heure horas ore`)
	hourLeads = text.Set(`at um kl kl. klockan klokken om à às alle ab`)
	rangeTo   = text.Set(`to until till bis - – — à a al alle até às tot til till 〜 ~ and und et y e en og och`)
	noons     = vocabulary(`
		12:00: noon midday mittag mittags midi mediodía mezzogiorno meio-dia middag 正午
		00:00: midnight mitternacht minuit medianoche mezzanotte meia-noite middernacht midnatt midnat
	`)
)

// A hand is a possible time of day: the value of its digits, and whether its context confirms it.
type hand struct {
	first, last  int // pieces
	hour, minute int
	half         string
	sure         bool
}

// Times returns times of day. Values have 24 hours, "14:30" of "2:30 pm"; of "7 bis 20
// Uhr" both are found, and "half past" and the like are not.
func Times(s string, l text.Language) []Found {
	list := pieces(s, l)
	var out []Found
	var hands []hand
	for i := 0; i < len(list); i++ {
		if v := noons[list[i].low]; v != "" {
			out = append(out, Found{Start: list[i].start, End: list[i].end, Value: v})
			continue
		}
		h, ok := handAt(s, list, i)
		if !ok {
			continue
		}
		hands = append(hands, h)
		i = h.last
	}
	for i := range hands { // "7 bis 20 Uhr", "9–5 pm": the second makes a time of the first
		if n := len(hands); i+1 < n && hands[i+1].sure && !hands[i].sure && hands[i+1].first == hands[i].last+2 && rangeTo[list[hands[i].last+1].low] {
			hands[i].sure = true
			if hands[i].half == "" && hands[i].hour <= hands[i+1].hour {
				hands[i].half = hands[i+1].half
			}
		}
	}
	for _, h := range hands {
		if v := clock(h.hour, h.minute, h.half); h.sure && v != "" {
			out = append(out, Found{Start: list[h.first].start, End: list[h.last].end, Value: v})
		}
	}
	sortFound(out)
	return out
}

// handAt reads the time that begins at piece i.
func handAt(s string, list []piece, i int) (h hand, ok bool) {
	p := list[i]
	if p.number == "" || p.article {
		return h, false
	}
	whole, minutes, pointed := strings.Cut(p.low, ".")
	hour, err := strconv.Atoi(p.number)
	if p.digits && pointed && len(minutes) == 2 && len(whole) <= 2 {
		hour, err = strconv.Atoi(whole)
	} else {
		pointed = false
	}
	if err != nil || hour < 0 || hour > 24 {
		return h, false
	}
	h = hand{first: i, last: i, hour: hour}
	if pointed {
		h.minute, _ = strconv.Atoi(minutes)
	}
	at := func(n int) string {
		if h.last+n < len(list) {
			return list[h.last+n].low
		}
		return ""
	}
	next := func(n int) (int, bool) { // two digits right after
		if h.last+n >= len(list) || !list[h.last+n].digits || len(list[h.last+n].low) != 2 || list[h.last+n].start != list[h.last+n-1].end {
			return 0, false
		}
		m, err := strconv.Atoi(list[h.last+n].low)
		return m, err == nil && m < 60
	}
	joined := h.last+1 < len(list) && list[h.last+1].start == p.end
	switch w := at(1); {
	case joined && p.digits && !pointed && (w == ":" || w == "：" || w == "h"):
		if m, ok := next(2); ok {
			h.minute, h.sure, h.last = m, true, h.last+2
			if at(1) == ":" { // seconds
				if _, ok := next(2); ok {
					h.last += 2
				}
			}
		}
	case joined && (strings.HasPrefix(w, "時") || strings.HasPrefix(w, "点") || strings.HasPrefix(w, "點") || strings.HasPrefix(w, "시")) && !strings.HasPrefix(w, "時間") && !strings.HasPrefix(w, "시간"):
		h.sure, h.last = true, h.last+1
		if strings.HasPrefix(w, "時半") || strings.HasPrefix(w, "点半") {
			h.minute = 30
		} else if m, err := strconv.Atoi(numberOf(list, h.last+1)); err == nil && m < 60 && strings.HasPrefix(strings.TrimLeft(s[list[h.last+1].end:], " "), "分") {
			h.minute = m
		}
	}
	if w := at(1); halves[w] != "" {
		h.half, h.sure, h.last = halves[w], true, h.last+1
	} else if hourWords[w] {
		h.sure, h.last = true, h.last+1
	} else if i > 0 && hourLeads[list[i-1].low] && (pointed || strings.HasPrefix(list[i-1].low, "kl")) {
		h.sure = true
	}
	if i > 0 {
		for word, half := range halves {
			if strings.HasSuffix(list[i-1].low, word) && len(word) > 4 {
				h.half = half
			}
		}
	}
	return h, true
}

func numberOf(list []piece, i int) string {
	if i < len(list) {
		return list[i].number
	}
	return ""
}
