package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"example.com/assay/decide/claim/support"
)

// small writes a data folder of claims that the test makes up: supported ones
// repeat the page's facts, the others change one.
func small(t *testing.T) string {
	t.Helper()
	places := strings.Fields("Brennick Westhaven Orlby Farrow Kessock Maidenfell Tarn Ullswick Skell Ivory Dunmere Harrowgate")
	things := strings.Fields("beacon mooring lantern ketch bell dredger ferry jetty anchor crane")
	var wice, words, claims, corpus strings.Builder
	line := func(b *strings.Builder, record map[string]any) {
		raw, err := json.Marshal(record)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(raw, '\n'))
	}
	for i := range 40 {
		place, thing := places[i%len(places)], things[i%len(things)]
		facts := []string{
			fmt.Sprintf("The %s of %s was built in %d.", thing, place, 1850+i),
			fmt.Sprintf("It cost %d crowns.", 100+7*i), "Nobody complained about the price.",
		}
		claim, label := fmt.Sprintf("In %d %s built a %s.", 1850+i, place, thing), "supported"
		switch i % 3 {
		case 1:
			claim, label = fmt.Sprintf("In %d %s built a windmill and a %s.", 1700+i, place, thing), "partially_supported"
		case 2:
			claim, label = fmt.Sprintf("A windmill of %s burnt in %d.", places[(i+5)%len(places)], 1700+i), "not_supported"
		}
		id := fmt.Sprintf("t%d", i)
		line(&wice, map[string]any{"id": id, "claim": claim, "label": label, "evidence": facts, "claim_title": place})
		if label == "partially_supported" {
			tokens := strings.Fields(strings.TrimSuffix(claim, "."))
			marks := make([]bool, len(tokens))
			marks[1], marks[5] = true, true
			line(&words, map[string]any{"id": id + "-0", "claim": claim, "claim_tokens": tokens, "non_supported": marks, "evidence": facts})
		}
		doc := fmt.Sprintf("d%d", i)
		line(&corpus, map[string]any{"id": doc, "title": "On the " + thing, "text": strings.Join(facts, " ")})
		line(&claims, map[string]any{
			"id": i, "claim": claim, "label": map[string]string{"supported": "SUPPORT", "partially_supported": "NOT_ENOUGH_INFO", "not_supported": "CONTRADICT"}[label],
			"qrels": map[string]int{doc: 1}, "evidence": []any{},
		})
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"wice/claims.jsonl.gz": wice.String(), "wice/non_supported_tokens.jsonl.gz": words.String(),
		"scifact/claims.jsonl": claims.String(), "scifact/corpus.jsonl.gz": corpus.String(),
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

var written = []string{idfFile, weightsFile, pageFile}

// Equal data gives equal bytes, on one processor and on eight, and a model
// that has learned what the data says.
func TestVerifyTwice(t *testing.T) {
	data := small(t)
	var first map[string][]byte
	for _, procs := range []int{1, 8} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		to := t.TempDir()
		var out bytes.Buffer
		if err := run(t.Context(), []string{"verify", "--data", data, "--out", to}, &out); err != nil {
			t.Fatal(err)
		}
		files := map[string][]byte{}
		for _, name := range written {
			raw, err := os.ReadFile(filepath.Join(to, name))
			if err != nil {
				t.Fatal(err)
			}
			files[name] = raw
			if first != nil && !bytes.Equal(first[name], raw) {
				t.Errorf("%s differs with %d processors", name, procs)
			}
		}
		first = files
		if out.String() != string(files[pageFile]) {
			t.Error("what is printed is not what is written")
		}
	}
	for _, want := range []string{"- wice: 40 claims, sha256 ", "- words of WiCE claims marked supported or not: ", "| AUC | ", "| balanced_accuracy | "} {
		if !strings.Contains(string(first[pageFile]), want) {
			t.Errorf("the page lacks %q:\n%s", want, first[pageFile])
		}
	}
	var w support.Weights
	if err := json.Unmarshal(first[weightsFile], &w); err != nil {
		t.Fatal(err)
	}
	m, err := support.New(w, first[idfFile])
	if err != nil {
		t.Fatal(err)
	}
	e := m.Prepare([]string{"The gate of Skell was built in 1899.", "It cost 12 crowns."})
	if good, bad := e.Judge("In 1899 Skell built a gate."), e.Judge("In 1711 Skell built a windmill and a gate."); good.Balanced < .5 || bad.Balanced > .5 {
		t.Errorf("learned nothing: %.2f and %.2f", good.Balanced, bad.Balanced)
	}
	if len(m.Trained()) != 2 || m.Trained()[0].Name != "wice" || m.Trained()[1].Items != 40 {
		t.Errorf("trained on %+v", m.Trained())
	}
}

func TestUsage(t *testing.T) {
	t.Setenv("ASSAY_DATA", "")
	bad := small(t)
	if err := os.WriteFile(filepath.Join(bad, "wice", "non_supported_tokens.jsonl.gz"), []byte(`{"id":"t1-0","claim":"x","claim_tokens":["x"],"non_supported":[],"evidence":["x"]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	other := small(t)
	if err := os.WriteFile(filepath.Join(other, "wice", "non_supported_tokens.jsonl.gz"), []byte(`{"id":"t999-0","claim":"x","claim_tokens":["x"],"non_supported":[true],"evidence":["x"]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{
		"say what to train":        nil,
		"the judge of claims":      {"verfy"},
		"want --data DIR":          {"verify"},
		"want --data DIR and no":   {"verify", "--data", bad, "more"},
		"reading claims: open":     {"verify", "--data", t.TempDir()},
		"0 marks for 1 tokens":     {"verify", "--data", bad, "--out", ""},
		`there is no claim "t999"`: {"verify", "--data", other, "--out", ""},
		"writing what was trained": {"verify", "--data", small(t), "--out", filepath.Join(bad, "wice", "claims.jsonl.gz")},
	} {
		if err := run(t.Context(), args, &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v, want %q", args, err, want)
		}
	}
}
