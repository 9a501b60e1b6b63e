package document

import (
	"context"
	"strings"

	"example.com/assay/memory/text/pattern"
)

var cueTime = pattern.New(`^(?:\d+:)?\d{1,2}:\d{2}[.,]\d{3} --> (?:\d+:)?\d{1,2}:\d{2}[.,]\d{3}`)

// looksLikeSubtitles reports whether a file has subtitles in SubRip or WebVTT format.
func looksLikeSubtitles(raw []byte) bool {
	times := 0
	for line := range strings.Lines(string(raw[:min(len(raw), 4<<10)])) {
		if times < 2 && cueTime.MatchString(strings.TrimSpace(line)) {
			times++
		}
	}
	return times > 1 || times == 1 && len(raw) < 1<<10
}

// mostSaid is the length in bytes after which a sentence end closes a paragraph.
const mostSaid = 400

// parseSubtitles reads subtitles as running text, without times and numbers; a paragraph ends with
// a sentence.
func parseSubtitles(ctx context.Context, d *Document, raw []byte, _ LoadOptions) error {
	if err := checkText(d.Path, raw); err != nil {
		return err
	}
	w := &watch{ended: ctx.Err}
	var out strings.Builder
	start, said := 0, false // of the paragraph; whether the line belongs to a cue
	flush := func() {
		d.Blocks = appendBlock(d.Blocks, out.String(), start, out.Len(), Block{Group: 1})
		out.WriteString("\n\n")
		start = out.Len()
	}
	for line := range strings.Lines(string(raw)) {
		w.step()
		switch line = strings.TrimSpace(line); {
		case line == "":
			said = false
		case cueTime.MatchString(line):
			said = true
		case said:
			line = strings.TrimSpace(markup.ReplaceAllString(line, ""))
			if out.Len() > start && line != "" {
				out.WriteByte(' ')
			}
			if out.WriteString(line); out.Len()-start > mostSaid && line != "" && strings.ContainsRune(sentenceEnd, lastRune(line)) {
				flush()
			}
		}
	}
	flush()
	d.Text = out.String()
	return nil
}

var markup = pattern.New(`<[^<>]{0,80}>|\{\\[^{}]{0,40}\}`)
