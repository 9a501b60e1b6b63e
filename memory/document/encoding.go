package document

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gogs/chardet"
	"golang.org/x/net/html/charset"
)

// guessed marks an encoding that fits no better than another that gives other letters.
const guessed = " (guessed)"

// inUTF8 returns a text in UTF-8 and its former encoding, empty for UTF-8. A byte order mark
// identifies UTF-16. Other bytes that are not UTF-8 are decoded in the encoding in which they make
// words: of the likely ones that a library gives, the one with the fewest letters at places where
// no word has them. Anything else is returned unchanged, because most of the file may be good.
func inUTF8(ctx context.Context, path string, raw []byte) ([]byte, string, error) {
	encoding, marked := "", true
	switch {
	case bytes.HasPrefix(raw, []byte("\xff\xfe")):
		encoding = "utf-16le"
	case bytes.HasPrefix(raw, []byte("\xfe\xff")):
		encoding = "utf-16be"
	case utf8.Valid(raw) || bytes.IndexByte(raw, 0) >= 0 || mostlyUTF8(raw):
		return raw, "", nil
	default:
		encoding, marked = likeliest(ctx, raw), false
	}
	if encoding == "" {
		return raw, "", nil
	}
	out, err := decode(ctx, raw, strings.TrimSuffix(encoding, guessed))
	switch bad := err != nil || bytes.ContainsRune(out, utf8.RuneError); {
	case bad && marked:
		return nil, "", &InputError{Path: path, Msg: "it is not whole text in " + encoding + ", as it seems to be", Hint: "save it as UTF-8"}
	case bad:
		return raw, "", nil
	}
	return bytes.TrimPrefix(out, []byte(bom)), encoding, nil
}

// wellFormed makes a text valid UTF-8 without zero bytes.
func wellFormed(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "")
}

func decode(ctx context.Context, raw []byte, encoding string) ([]byte, error) {
	r, err := charset.NewReaderLabel(encoding, stoppable(ctx, bytes.NewReader(raw)))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// mostlyUTF8 reports bytes with more whole characters of several bytes than broken ones:
// whole ones are rare by chance.
func mostlyUTF8(raw []byte) bool {
	whole, broken := 0, 0
	for i := 0; i < len(raw); {
		r, n := utf8.DecodeRune(raw[i:])
		switch {
		case n > 1:
			whole++
		case r == utf8.RuneError:
			broken++
		}
		i += n
	}
	return 4*whole > broken
}

// sampled is the number of bytes from which an encoding is guessed.
const sampled = 64 << 10

// sample returns the lines of a text that are not ASCII, up to the limit.
func sample(raw []byte) []byte {
	if len(raw) <= sampled {
		return raw
	}
	var out []byte
	for line := range bytes.Lines(raw) {
		if bytes.IndexFunc(line, func(r rune) bool { return r >= utf8.RuneSelf }) >= 0 {
			out = append(out, line[:min(len(line), 4<<10)]...)
		}
		if len(out) >= sampled {
			break
		}
	}
	return out
}

type reading struct {
	encoding string
	text     string
	odd      int // letters and signs where no word has them
	chance   int // in per cent, by the library
}

// westernShare is the greatest share of non-ASCII letters among the letters of a text in a Latin
// encoding.
const westernShare = .3

// likeliest returns the encoding of bytes that are not UTF-8; "" if none makes words.
func likeliest(ctx context.Context, raw []byte) string {
	raw = sample(raw)
	candidates, err := chardet.NewTextDetector().DetectAll(raw)
	if err != nil {
		candidates = nil
	}
	// The library returns equals in random order.
	slices.SortFunc(candidates, func(a, b chardet.Result) int {
		return cmp.Or(b.Confidence-a.Confidence, strings.Compare(a.Charset, b.Charset))
	})
	candidates = append(candidates, chardet.Result{Charset: "windows-1252"}, chardet.Result{Charset: "macintosh"})
	var readings []reading
	for _, c := range candidates {
		name := strings.ToLower(strings.Replace(c.Charset, "GB-18030", "gb18030", 1))
		if name == "iso-8859-1" {
			name = "windows-1252"
		}
		out, err := decode(ctx, raw, name)
		if err != nil || strings.HasPrefix(name, "utf") || bytes.ContainsRune(out, utf8.RuneError) {
			continue
		}
		r := reading{encoding: name, text: string(out), chance: c.Confidence}
		if r.odd = odd(r.text); r.odd < 0 || slices.ContainsFunc(readings, func(o reading) bool { return o.text == r.text }) {
			continue
		}
		readings = append(readings, r)
	}
	if len(readings) == 0 {
		return ""
	}
	slices.SortStableFunc(readings, func(a, b reading) int { return cmp.Or(a.odd-b.odd, b.chance-a.chance) })
	best := readings[0]
	if letters := utf8.RuneCountInString(best.text); 10*best.odd > letters {
		return ""
	}
	if len(readings) > 1 && readings[1].odd == best.odd && best.chance-readings[1].chance < 15 {
		return best.encoding + guessed
	}
	return best.encoding
}

// odd counts letters and signs at places where no word has them: a capital after a small letter, a
// sign within or before a word that only a wrong encoding produces. It is negative for a text with
// controls, or with more accented Latin letters than any language has.
func odd(s string) int {
	n, latin, accented := 0, 0, 0
	var before, last rune = ' ', ' '
	for _, c := range s {
		switch {
		case c >= 0x80 && c < 0xa0:
			return -1
		case !unicode.IsLetter(c):
			if c >= 0x80 && unicode.IsLetter(last) && !unicode.IsPunct(c) && !unicode.IsSpace(c) && !strings.ContainsRune("²³°€$£™®©º½¼¾", c) {
				n++
			}
		default:
			if unicode.Is(unicode.Latin, c) {
				latin++
				if c >= 0x80 {
					accented++
				}
			}
			inside := last >= 0x80 && unicode.IsLetter(last) && !unicode.Is(unicode.Latin, last) && before >= 'a' && before <= 'z' && c >= 'a' && c <= 'z'
			lowered := unicode.IsLower(last) && unicode.IsUpper(c) && (c >= 0x80 || last >= 0x80)
			signed := last >= 0x80 && !unicode.IsLetter(last) && !unicode.IsSpace(last) && !strings.ContainsRune("“”„‘’‚«»‹›–—…¿¡·•€£§©®°†‡\u00ad", last)
			if lowered || signed || inside || unicode.IsLetter(last) && c >= 0x80 && last >= 0x80 && unicode.Is(unicode.Latin, c) != unicode.Is(unicode.Latin, last) || strings.ContainsRune("“„¿¡", last) && unicode.IsLetter(before) {
				n++
			}
		}
		before, last = last, c
	}
	if float64(accented) > westernShare*float64(latin) {
		return -1
	}
	return n + foreign(s)
}

// alphabets are the non-ASCII letters of languages with Latin letters.
var alphabets = strings.Fields(`àâæçéèêëîïôœùûüÿ äöüßé áéíñóúüª áâãàçéêíóôõúüº àèéìíîòóù áéèëêïíóöüú åäöéà æøåéèêóòâôü áðéíóúýþæö äöåšž
	áčďéěíňóřšťúůýžöüä áäčďéíĺľňóôŕšťúýž ąćęłńóśźżé áéíóöőúüűä ăâîșşțţ čćđšžéö çğıöşüâîûi̇ äõöüšž āčēģīķļņšūž ąčęėįšųūž`)

// foreign counts the Latin letters beyond ASCII that are not of the language with most of
// them.
func foreign(s string) int {
	counts, all := map[rune]int{}, 0
	for _, c := range s {
		if c >= 0x80 && unicode.Is(unicode.Latin, c) {
			counts[unicode.ToLower(c)]++
			all++
		}
	}
	most := 0
	for _, alphabet := range alphabets {
		n := 0
		for _, c := range alphabet {
			n += counts[c]
		}
		most = max(most, n)
	}
	return all - most
}
