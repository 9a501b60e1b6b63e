package look

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Number formats a figure.
func Number(v float64) string {
	return strconv.FormatFloat(math.Round(v*1e6)/1e6, 'g', 5, 64)
}

// Share formats a figure from 0 to 1.
func Share(v float64) string { return strconv.FormatFloat(v, 'f', 3, 64) }

// Percent formats a figure from 0 to 1 in percent.
func Percent(v float64) string { return strconv.FormatFloat(v*100, 'f', 0, 64) + " %" }

// Duration formats a time in milliseconds.
func Duration(ms float64) string {
	switch {
	case ms >= 60_000:
		return fmt.Sprintf("%.1f min", ms/60_000)
	case ms >= 1000:
		return fmt.Sprintf("%.2f s", ms/1000)
	case ms >= 100:
		return fmt.Sprintf("%.0f ms", ms)
	case ms >= 1:
		return fmt.Sprintf("%.1f ms", ms)
	case ms == 0:
		return "0 ms"
	}
	return fmt.Sprintf("%.3f ms", ms)
}

// Count formats a number of things: "1 run", "2 runs".
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Size formats a number of bytes.
func Size[N int | int64](n N) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}

// Plain returns the name of a kind, a metric or a status in words.
func Plain(s string) string { return strings.ReplaceAll(s, "_", " ") }

// tones are the colour classes of verdicts. The word always stands there too.
var tones = map[string]string{
	"pass": "good", "FAIL": "bad", "ERROR": "bad",
	"answered": "good", "ungrounded": "warn", "no_evidence": "warn", "unavailable": "bad", "rejected": "bad", "interrupted": "warn", "cancelled": "warn", "failed": "bad",
	"supported": "good", "partially_supported": "warn", "unsupported": "bad", "not_judged": "warn",
	"grounded": "good", "high": "good", "medium": "warn", "low": "warn", "insufficient": "bad",
	"CRITICAL": "bad", "HIGH": "bad", "MEDIUM": "warn", "LOW": "warn",
}

// outcomes are the words and tones for how a run ended. Answered is not good news by itself: nobody
// has said that the answer is right.
var outcomes = map[string][2]string{
	"": {"done", "good"}, "answered": {"answered", "plain"}, "ungrounded": {"in doubt", "warn"}, "no_evidence": {"not found", "warn"}, "unavailable": {"could not look", "bad"},
	"rejected": {"refused", "bad"}, "interrupted": {"waits for a person", "warn"}, "cancelled": {"stopped", "warn"}, "failed": {"failed", "bad"},
}

// Outcome returns the word and the class for how a run ended; without a status, for one that is done.
func Outcome(status string) (word, tone string) {
	if o, ok := outcomes[status]; ok {
		return o[0], o[1]
	}
	return Plain(status), "plain"
}

// Tone returns the class of a verdict: "good", "warn", "bad", or "plain" for an unknown one.
func Tone(v any) string {
	if class, ok := tones[fmt.Sprint(v)]; ok {
		return class
	}
	return "plain"
}
