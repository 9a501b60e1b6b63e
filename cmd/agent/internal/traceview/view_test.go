package traceview

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/assay/graph/trace"
	"example.com/assay/serve/view"
)

const sample = `{"v":1,"seq":0,"kind":"run_start","time":"2026-01-02T03:04:05Z","at":[{"step":0,"task":-1}],"graph":"research","fingerprint":"0123456789abcdef","header":{"run_id":"r1","config":{"model":"offline","corpus":"c"},"skills":{"s":"abcdef0123456789"},"input":{"question":"q"}}}
{"v":1,"seq":1,"kind":"step_start","at":[{"step":1,"task":-1}],"nodes":["execute"]}
{"v":1,"seq":2,"kind":"node_start","at":[{"step":1,"task":0}],"node":"execute"}
{"v":1,"seq":3,"kind":"node_start","ns":"execute","at":[{"step":1,"task":0},{"step":1,"task":0}],"node":"retrieve"}
{"v":1,"seq":4,"kind":"retrieval","ns":"execute","at":[{"step":1,"task":0},{"step":1,"task":0}],"node":"retrieve","data":{"step_id":1,"queries":["a b"],"candidates":9,"similarity":0.5,"confidence":0.75,"hits":[{"passage":"p1","scores":[{"ranker":"fused","value":1.5}]}]}}
{"v":1,"seq":5,"kind":"node_update","elapsed_us":1500,"ns":"execute","at":[{"step":1,"task":0},{"step":1,"task":0}],"node":"retrieve","update":[{"channel":"plan","op":"add","value":[1]}]}
{"v":1,"seq":6,"kind":"node_retry","at":[{"step":1,"task":0}],"node":"execute","attempt":2,"error":"once"}
{"v":1,"seq":7,"kind":"node_start","at":[{"step":1,"task":0}],"node":"execute","attempt":2}
{"v":1,"seq":8,"kind":"note","at":[{"step":1,"task":0}],"node":"execute","data":{}}
{"v":1,"seq":9,"kind":"node_update","elapsed_us":2500,"at":[{"step":1,"task":0}],"node":"execute","attempt":2,"update":[{"channel":"plan","op":"add","value":[1]}]}
{"v":1,"seq":10,"kind":"model_call","at":[{"step":2,"task":0}],"node":"plan","data":{"skill":"s","ok":false,"error":"no\u001b[31m","repaired":true,"fallback":"late","usage":{"calls":1,"input_tokens":3,"cost":0.25,"unpriced":1}}}
{"v":1,"seq":11,"kind":"node_error","elapsed_us":100,"at":[{"step":2,"task":0}],"node":"plan","error":"broke"}
{"v":1,"seq":12,"kind":"run_end","elapsed_us":9000,"at":[{"step":3,"task":-1}],"error":"broke"}
`

func viewOf(t *testing.T, text string) view.View {
	t.Helper()
	records, err := trace.Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	v, err := view.New(records)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestText(t *testing.T) {
	want := `research, graph 0123456789ab, 2026-01-02T03:04:05Z
  run r1
  corpus: c
  model: offline
  skill s: abcdef012345
  input: {"question":"q"}

superstep 1
  execute  2.5 ms, attempt 2
    event note
    execute/retrieve  1.5 ms
      retrieval for step 1: 1 hits of 9 candidates, 0 excluded, similarity 0.500, confidence 0.75
        query 1: a b
        hit 1: p1  (fused 1.500)
      plan add [1]

superstep 2
  plan  0.1 ms
    model , skill s: 3 tokens in, 0 out, cost 0.25, unpriced calls: 1, failed: no�[31m, a repair, instead of a model that failed: late
    error: broke

models: 1 call, 3 tokens read and 0 written, cost 0.25, unpriced calls: 1
  plan  1 call, 3 tokens read and 0 written, cost 0.25, unpriced calls: 1

failed after 9.0 ms: broke
`
	if diff := cmp.Diff(want, Text(viewOf(t, sample), TextOptions{})); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestOnly(t *testing.T) {
	v := viewOf(t, sample)
	if diff := cmp.Diff([]string{"execute", "execute/retrieve", "plan"}, v.Nodes()); diff != "" {
		t.Errorf("nodes (-want +got):\n%s", diff)
	}
	for name, want := range map[string]int{"retrieve": 1, "execute/retrieve": 1, "execute": 1, "trieve": 0, "none": 0} {
		only, ok := v.Only(name)
		if len(only.Steps) != want || ok != (want > 0) || len(only.Usage) != 0 {
			t.Errorf("Only(%q): %d supersteps, %v", name, len(only.Steps), ok)
		}
	}
	if only, _ := v.Only("plan"); only.Total != v.Total || only.Total.Calls != 1 {
		t.Errorf("usage of plan %+v, of all %+v", only.Total, v.Total)
	}
	if len(v.Steps) != 2 {
		t.Error("Only changed the view that it was asked of")
	}
}

func TestFaults(t *testing.T) {
	line := func(rest string) string {
		return `{"v":1,"seq":7,"at":[{"step":1,"task":0}],"node":"n",` + rest + "}\n"
	}
	for name, tt := range map[string]struct{ in, want string }{
		"empty":     {"", "it is empty"},
		"two runs":  {sample + sample, "a second run begins"},
		"update":    {line(`"kind":"node_update","update":{"a":1}`), `event 7: reading the update of node "n"`},
		"call":      {line(`"kind":"model_call","data":[]`), `event 7: reading a model_call event of node "n"`},
		"retrieval": {line(`"kind":"retrieval"`), `event 7: reading a retrieval event`},
	} {
		records, err := trace.Read(strings.NewReader(tt.in))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := view.New(records); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", name, err, tt.want)
		}
	}
}

// Every trace that can be read can be shown, and none controls the terminal.
func FuzzView(f *testing.F) {
	f.Add(sample)
	f.Add(`{"v":1,"kind":"node_update","node":"\u001b","at":[{"step":-9,"task":3}],"update":[{"channel":"c","op":"x","value":"\u202e"}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		records, err := trace.Read(strings.NewReader(text))
		if err != nil {
			return
		}
		v, err := view.New(records)
		if err != nil {
			return
		}
		for _, full := range []bool{false, true} {
			if out := Text(v, TextOptions{Full: full}); strings.ContainsAny(out, "\x1b\x07\u202e") {
				t.Errorf("control characters: %q", out)
			}
		}
	})
}
