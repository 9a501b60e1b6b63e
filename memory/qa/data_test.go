package qa

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// Questions that people asked are different questions: hardly any two of one
// set may have one shape. What has is logged, for a person to judge.
func TestQuestionsOfData(t *testing.T) {
	dir := os.Getenv("ASSAY_DATA")
	if dir == "" {
		t.Skip("set ASSAY_DATA to a folder of data sets to look for questions that are taken for one")
	}
	for _, name := range []string{"obliqa/questions.jsonl", "morehopqa/questions.jsonl", "legalbench_rag/queries.jsonl", "barexam_qa/questions.jsonl"} {
		file, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		seen := map[int64]string{}
		asked, same := 0, 0
		in := bufio.NewScanner(file)
		in.Buffer(nil, 1<<22)
		for in.Scan() {
			var row struct{ Question, Query string }
			if err := json.Unmarshal(in.Bytes(), &row); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			question := row.Question + row.Query
			form := shapeOf(question)
			if len(form.words) == 0 {
				continue
			}
			asked++
			if other := seen[form.hash()]; other != "" && questionKey(other) != questionKey(question) {
				same++
				t.Logf("%s: taken for one: %q and %q", name, other, question)
			}
			seen[form.hash()] = question
		}
		if err := in.Err(); err != nil {
			t.Error(err)
		}
		t.Logf("%s: %d questions, %d taken for another", name, asked, same)
		if asked == 0 || same*1000 > asked {
			t.Errorf("%s: %d of %d questions are taken for another", name, same, asked)
		}
	}
}
