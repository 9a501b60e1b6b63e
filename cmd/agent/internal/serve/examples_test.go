package serve_test

import (
	"html"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	"example.com/assay/memory"
)

var exampleOf = regexp.MustCompile(`<button class="plain" name="question" value="([^"]*)"`)

// The page offers questions that stand by themselves and that the corpus answers, one of each
// document. They are not those of the sample once the corpus has files.
func TestExamples(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"rooms.md":   "# Reading rooms\n\n## When is the map room open?\n\nThe map room is open from nine to five on weekdays, and until noon on Saturdays.\n\n## Can I bring it back?\n\nIt can be brought back to any desk.\n\n## When is the music room open?\n\nThe music room is open from two to six on weekdays.\n",
		"ferries.md": "# Ferries\n\n## Booking a crossing\n\nYou book a crossing at the quay office, by seven in the evening before. A crossing that was booked later is not held.\n",
		"words.md":   "# Words\n\nKelp ledgers are the books in which the wardens write each harvest. All kelp ledgers are kept for ten years.\n\nWednesday is the day on which nobody calls.\n",
		"plans.md":   "# Plans\n\n## Who founded the old lighthouse?\n\nTo be written.\n\n## When is the map room open?\n\nSee the list of reading rooms, which answers this and more.\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b := start(t, home).enters(token(t, home))
	offered := func() (got []string) {
		for until := time.Now().Add(time.Minute); len(got) == 0 && time.Now().Before(until); time.Sleep(20 * time.Millisecond) {
			_, page, _ := b.load("GET", "/ui/", nil)
			for _, m := range exampleOf.FindAllStringSubmatch(page, -1) {
				got = append(got, html.UnescapeString(m[1]))
			}
		}
		slices.Sort(got)
		return got
	}
	if got := offered(); len(got) == 0 {
		t.Error("the sample has no examples")
	}
	if _, err := memory.Ingest(t.Context(), memory.IngestOptions{Home: home, Corpus: "default", Paths: []string{dir}}); err != nil {
		t.Fatal(err)
	}
	got := offered()
	if want := []string{"How do I book a crossing?", "What are kelp ledgers?", "When is the map room open?"}; !slices.Equal(got, want) {
		t.Errorf("examples %q, want %q", got, want)
	}
}
