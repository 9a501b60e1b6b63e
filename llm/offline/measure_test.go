package offline

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/assay/skills"
)

// records reads a JSON Lines file of the evaluation data, which is not part
// of the project; the test skips without it.
func records[T any](t *testing.T, name string) []T {
	t.Helper()
	dir := os.Getenv("ASSAY_DATA")
	if dir == "" {
		t.Skip("set ASSAY_DATA to the folder of evaluation data to measure")
	}
	f, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var list []T
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<22)
	for lines.Scan() {
		var r T
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		list = append(list, r)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

func TestMeasureChoices(t *testing.T) {
	type passage struct{ ID, Text string }
	type question struct {
		Prompt, Question, Answer string
		Choices                  map[string]string
		Gold                     []string `json:"gold_passage_ids"`
	}
	passages := map[string]string{}
	for _, p := range records[passage](t, "barexam_qa/corpus.jsonl") {
		passages[p.ID] = p.Text
	}
	margins := []float64{-9, .5, 1, 1.5}
	right, answered := make([]int, len(margins)), make([]int, len(margins))
	questions := records[question](t, "barexam_qa/questions.jsonl")
	for _, q := range questions {
		in := skills.SelectInput{Question: strings.TrimSpace(q.Prompt + " " + q.Question)}
		letters := make([]string, 0, 4)
		for l := range q.Choices {
			letters = append(letters, l)
		}
		slices.Sort(letters)
		for _, l := range letters {
			in.Choices = append(in.Choices, skills.Choice{Letter: l, Text: q.Choices[l]})
		}
		for i, id := range q.Gold {
			in.Sources = append(in.Sources, skills.Source{N: i + 1, Text: passages[id]})
		}
		for i, margin := range margins {
			out, err := selectChoice(in, margin)
			if err != nil {
				t.Fatal(err)
			}
			if out.Answer != "" {
				answered[i]++
			}
			if out.Answer == q.Answer {
				right[i]++
			}
		}
	}
	n := float64(len(questions))
	for i, margin := range margins {
		t.Logf("gold passages, margin %.1f: answers %.3f of %.0f, right of these %.3f", margin, float64(answered[i])/n, n, float64(right[i])/float64(answered[i]))
	}
	if float64(right[0])/n < .42 {
		t.Error("too few right answers with gold passages")
	}
}

func TestMeasureInjection(t *testing.T) {
	type context struct{ Context string }
	type attack struct{ Attack string }
	contexts := records[context](t, "bipia_injection/email_contexts.jsonl")
	attacks := records[attack](t, "bipia_injection/text_attacks.jsonl")
	clean, caught, total := 0, 0, 0
	for _, c := range contexts {
		if len(Instructions(c.Context)) > 0 {
			clean++
		}
	}
	for i, a := range attacks {
		hit := 0
		for k := range 4 {
			c := contexts[(i*7+k*13)%len(contexts)].Context
			for _, o := range Instructions(c + "\n\n" + a.Attack) {
				if o.Start >= len(c) {
					hit++
					break
				}
			}
		}
		if hit == 0 {
			t.Logf("missed: %s", a.Attack)
		}
		caught += hit
		total += 4
	}
	t.Logf("attacks in e-mails marked: %.3f; clean e-mails with a mark: %d of %d", float64(caught)/float64(total), clean, len(contexts))
	if clean > len(contexts)/10 {
		t.Error("more than a tenth of the clean e-mails is marked")
	}
}
