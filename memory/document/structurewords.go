package document

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"example.com/assay/memory/text/values"
)

// wordNumber reads a word and the number after it.
func wordNumber(s string) (word, number string, size int) {
	n := strings.IndexAny(s[:min(len(s), 20)], " \u00a0")
	if n < 2 || n+1 >= len(s) {
		return "", "", 0
	}
	word = strings.ToLower(s[:n])
	rest := strings.TrimLeft(s[n:], " \u00a0")
	m := 0
	for m < len(rest) && (rest[m] >= '0' && rest[m] <= '9' || rest[m] == '.' && m+1 < len(rest) && rest[m+1] >= '0' && rest[m+1] <= '9') {
		m++
	}
	if m == 0 {
		for m < len(rest) && strings.IndexByte("IVXLC", rest[m]) >= 0 {
			m++
		}
		if m == 0 || romanValue(rest[:m]) == 0 {
			return "", "", 0
		}
	} else if m < len(rest) && rest[m] >= 'a' && rest[m] <= 'z' && (m+1 == len(rest) || !isWordByte(rest[m+1])) {
		m++
	}
	if m > 8 || m < len(rest) && strings.IndexByte(" .:)\t(", rest[m]) < 0 {
		return "", "", 0
	}
	return word, rest[:m], len(s) - len(rest) + m
}

func isWordByte(c byte) bool {
	return c >= utf8.RuneSelf || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// romanValue returns the value of a Roman number in capitals, or 0.
func romanValue(s string) int {
	total, last := 0, 0
	if len(s) > 7 {
		return 0
	}
	for i := len(s) - 1; i >= 0; i-- {
		v := map[byte]int{'I': 1, 'V': 5, 'X': 10, 'L': 50, 'C': 100}[s[i]]
		if v == 0 {
			return 0
		}
		if v < last {
			total -= v
		} else {
			total, last = total+v, v
		}
	}
	return total
}

// numberingWords returns the words that number the parts of a text, with their counts: one line
// begins with the word and a number, and another with the next number.
func numberingWords(s string) map[string]int {
	last, found := map[string]int{}, map[string]int{}
	for line := range strings.Lines(s) {
		line = strings.TrimLeft(line, " \t#*")
		if line == "" || line[0] < 'A' || line[0] == '[' || len(line) < 4 {
			continue
		}
		space := strings.IndexByte(line[:min(len(line), 20)], ' ')
		if space < 2 || space+1 >= len(line) {
			continue
		}
		if c := line[space+1]; c < '0' || c > 'X' || c > '9' && strings.IndexByte("IVXLC", c) < 0 {
			continue
		}
		word, number, _ := wordNumber(strings.TrimRight(line, "\r\n"))
		if word == "" {
			continue
		}
		n, err := strconv.Atoi(number)
		if err != nil {
			n = romanValue(number)
		}
		if before, known := last[word]; known && n == before+1 && values.MonthOf(strings.TrimRight(word, ".")) == 0 {
			found[word]++
		}
		last[word] = n
	}
	return found
}
