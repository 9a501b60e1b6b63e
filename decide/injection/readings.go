package injection

import (
	"encoding/base64"
	"encoding/hex"
	"html"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/pattern"
)

// A rendering is a text in a form in which it may be meant to be read.
type rendering struct {
	name string // "" for the plain one
	text string
}

// confusables maps letters of other scripts, and digits and signs in place of letters, to the Latin
// letters that they look like.
var confusables = map[rune]rune{
	'а': 'a', 'е': 'e', 'о': 'o', 'р': 'p', 'с': 'c', 'у': 'y', 'х': 'x', 'і': 'i', 'ѕ': 's', 'ј': 'j', 'һ': 'h', 'ԁ': 'd', 'ӏ': 'l', 'к': 'k', 'м': 'm', 'т': 't', 'в': 'b', 'н': 'h', 'г': 'r', 'п': 'n',
	'А': 'A', 'В': 'B', 'Е': 'E', 'К': 'K', 'М': 'M', 'Н': 'H', 'О': 'O', 'Р': 'P', 'С': 'C', 'Т': 'T', 'У': 'Y', 'Х': 'X', 'І': 'I', 'Ѕ': 'S', 'Ј': 'J',
	'α': 'a', 'ε': 'e', 'ι': 'i', 'ο': 'o', 'ρ': 'p', 'υ': 'u', 'ν': 'v', 'κ': 'k', 'τ': 't', 'ς': 's', 'σ': 'o', 'γ': 'y', 'η': 'n', 'ω': 'w',
	'Α': 'A', 'Β': 'B', 'Ε': 'E', 'Ζ': 'Z', 'Η': 'H', 'Ι': 'I', 'Κ': 'K', 'Μ': 'M', 'Ν': 'N', 'Ο': 'O', 'Ρ': 'P', 'Τ': 'T', 'Υ': 'Y', 'Χ': 'X',
	'ı': 'i', 'ɡ': 'g', 'ɑ': 'a', 'ɩ': 'i', 'ʟ': 'l', 'ɴ': 'n', 'ʀ': 'r', 'ꜱ': 's', 'ᴀ': 'a', 'ᴇ': 'e', 'ᴏ': 'o', 'ᴜ': 'u', 'ɪ': 'i', 'ᴛ': 't', 'ᴍ': 'm', 'ᴘ': 'p', 'ᴠ': 'v', 'ᴅ': 'd', 'ʏ': 'y',
}

var leet = map[rune]rune{'0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '7': 't', '@': 'a', '$': 's', '!': 'i', '|': 'l'}

var (
	encodedRun = pattern.New(`[A-Za-z0-9+/_-]{16,}={0,2}`)
	hexRun     = pattern.New(`(?i)(?:(?:\\x|0x)?[0-9a-f]{2}[\s,:-]?){8,}`)
	spacedRun  = pattern.New(`(?:\b[\pL\d][ ._*\-|]{1,3}){4,}[\pL\d]\b`)
	spacers    = pattern.New(`[ ._*\-|]`)
	wideGap    = pattern.New(` {2,}`)
)

// maxReading bounds the decoded bytes: a longer attack is no longer hidden.
const maxReading = 16 << 10

// readings returns the unchanged text first, and then one reading for each disguise that it
// removes.
func readings(s string) []rendering {
	plain, tagged := fold(s)
	list := []rendering{{"", plain}}
	add := func(name, meant string) {
		if meant != "" && meant != plain {
			list = append(list, rendering{name, meant})
		}
	}
	add("in invisible characters", tagged)
	if len(plain) > maxReading {
		plain = strings.ToValidUTF8(plain[:maxReading], "")
	}
	add("in look-alike signs", unleet(plain))
	if strings.Contains(plain, "&") {
		entities, _ := fold(html.UnescapeString(plain))
		add("in entities of HTML", entities)
	}
	if strings.Contains(plain, "%") {
		if u, err := url.QueryUnescape(plain); err == nil {
			add("URL-encoded", u)
		} // else it is a percent sign
	}
	long, short := wordShapes(plain)
	if short {
		add("spelled apart", joinSpaced(plain))
	}
	if long {
		for _, run := range encodedRun.FindAllString(plain, -1) {
			add("in base64", unbase64(run))
		}
	}
	if long || short {
		for _, run := range hexRun.FindAllString(plain, -1) {
			add("in hexadecimal", unhex(run))
		}
	}
	if english := englishness(plain); english*8 < len(strings.Fields(plain)) {
		for _, r := range []rendering{{"in rot13", rot13(plain)}, {"written backwards", reverse(plain)}} {
			if englishness(r.text) > english {
				add(r.name, r.text)
			}
		}
	}
	return list
}

// wordShapes reports whether s has a word of at least 16 bytes, and whether it has at least five
// words of one or two bytes: only then can it contain encoded or spaced text.
func wordShapes(s string) (long, short bool) {
	n, shorts := 0, 0
	for i := 0; i <= len(s); i++ {
		if i < len(s) && !strings.ContainsRune(" \t\n._*|,:-", rune(s[i])) {
			n++
			continue
		}
		long = long || n >= 16
		if n == 1 || n == 2 || n == 4 && s[i-4] == '0' {
			shorts++
		}
		n = 0
	}
	return long, shorts >= 5
}

// fold removes invisible characters, unifies compatible ones, and replaces look-alikes in otherwise
// Latin words. It also returns the text that invisible tag characters spell.
func fold(s string) (plain, tagged string) {
	if text.IsASCII(s) {
		return s, ""
	}
	var visible, tags strings.Builder
	for _, r := range norm.NFKC.String(s) {
		switch {
		case r >= 0xE0020 && r <= 0xE007E:
			tags.WriteRune(r - 0xE0000)
		case unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r) || r == '\u034f' || r == '\u115f' || r == '\u3164':
		default:
			visible.WriteRune(r)
		}
	}
	return latinise(visible.String()), tags.String()
}

// latinise replaces confusable letters in words that hold a Latin letter.
func latinise(s string) string {
	var b strings.Builder
	word := []rune{}
	flush := func() {
		latin := false
		for _, r := range word {
			latin = latin || unicode.Is(unicode.Latin, r)
		}
		for _, r := range word {
			if to, ok := confusables[r]; ok && latin {
				r = to
			}
			b.WriteRune(r)
		}
		word = word[:0]
	}
	for _, r := range s {
		if unicode.IsLetter(r) {
			word = append(word, r)
			continue
		}
		flush()
		b.WriteRune(r)
	}
	flush()
	return b.String()
}

// joinSpaced joins single letters: "i g n o r e". If the letters are one space apart, two spaces
// separate words; if a sign is between them, a space does. Other words cannot be separated again.
func joinSpaced(s string) string {
	if !spacedRun.MatchString(s) {
		return ""
	}
	return spacedRun.ReplaceAllStringFunc(s, func(run string) string {
		words := wideGap.Split(run, -1)
		if strings.ContainsAny(run, "._*-|") {
			words = strings.Fields(run)
		}
		for i, w := range words {
			words[i] = spacers.ReplaceAllString(w, "")
		}
		return strings.Join(words, " ")
	})
}

// unleet replaces signs inside words by the letters that they look like.
func unleet(s string) string {
	changed := false
	fields := strings.Fields(s)
	for i, f := range fields {
		letters := 0
		for _, r := range f {
			if unicode.IsLetter(r) {
				letters++
			}
		}
		core := strings.TrimRight(f, "!.,;:?")
		if letters < 2 || !strings.ContainsAny(core, "013457@$!|") {
			continue
		}
		fields[i] = strings.Map(func(r rune) rune {
			if to, ok := leet[r]; ok {
				return to
			}
			return r
		}, core) + f[len(core):]
		changed = true
	}
	if !changed {
		return ""
	}
	return strings.Join(fields, " ")
}

func unbase64(run string) string {
	run = strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(run, "="))
	data, err := base64.RawStdEncoding.DecodeString(run)
	if err != nil {
		return "" // not base64
	}
	return readable(data)
}

func unhex(run string) string {
	run = strings.NewReplacer(`\x`, "", "0x", "", " ", "", ",", "", ":", "", "-", "", "\n", "", "\t", "").Replace(strings.ToLower(run))
	data, err := hex.DecodeString(run[:len(run)/2*2])
	if err != nil {
		return "" // not hexadecimal
	}
	return readable(data)
}

// readable returns decoded bytes if they are text, else "".
func readable(data []byte) string {
	if !utf8.Valid(data) {
		return ""
	}
	s := string(data)
	good := 0
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.IsSpace(r) || unicode.IsPunct(r) || unicode.IsDigit(r) {
			good++
		}
	}
	if n := utf8.RuneCountInString(s); n < 8 || good*10 < n*9 {
		return ""
	}
	plain, _ := fold(s)
	return plain
}

func rot13(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return 'a' + (r-'a'+13)%26
		case r >= 'A' && r <= 'Z':
			return 'A' + (r-'A'+13)%26
		}
		return r
	}, s)
}

func reverse(s string) string {
	runes := []rune(s)
	for i, j := 0, len(runes)-1; i < j; i, j = i+1, j-1 {
		runes[i], runes[j] = runes[j], runes[i]
	}
	return string(runes)
}

var commonWords = text.Set(`the of and to a in is you that it for on are with as your all be this have from or
	what how when where not can will my me do if an by at was which their any`)

// englishness counts common English words.
func englishness(s string) int {
	n := 0
	for w := range strings.FieldsFuncSeq(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if commonWords[w] {
			n++
		}
	}
	return n
}
