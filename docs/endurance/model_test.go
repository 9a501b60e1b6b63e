package endurance

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A mood is how the model answers.
type mood int32

const (
	well   mood = iota
	slow        // after seconds
	wrong       // with what is not JSON, of another schema, or quotes what is not there
	broken      // with status 500
	cut         // and hangs up in the middle
	absent      // nobody listens
)

var moods = map[mood]string{slow: "model slow", wrong: "model wrong", broken: "model answers 500", cut: "model hangs up in mid-answer", absent: "model absent"}

// A model is a server of OpenAI's chat API. It quotes the sentence that has most words of
// the question, and finds fields behind their names.
type model struct {
	addr   string
	mood   atomic.Int32
	asked  atomic.Int64
	mu     sync.Mutex
	server *http.Server
}

// listen answers until stop; at first on any port, then on the same one.
func (m *model) listen() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.server != nil {
		return nil
	}
	addr := m.addr
	if addr == "" {
		addr = "127.0.0.1:0"
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	m.addr = l.Addr().String()
	m.server = &http.Server{Handler: m, ReadHeaderTimeout: 10 * time.Second}
	go func(s *http.Server) { _ = s.Serve(l) }(m.server) // until it is closed
	return nil
}

func (m *model) stop() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.server != nil {
		_ = m.server.Close() // nothing is kept
	}
	m.server = nil
}

// become changes the mood.
func (m *model) become(to mood) error {
	m.mood.Store(int32(to))
	if to == absent {
		m.stop()
		return nil
	}
	return m.listen()
}

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Stream   bool `json:"stream"`
		Messages []struct {
			Role    string `json:"role"`
			Content string `json:"content"`
		} `json:"messages"`
		Format struct {
			Schema struct {
				Name string `json:"name"`
			} `json:"json_schema"`
		} `json:"response_format"`
	}
	data, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(data, &in)
	}
	if err != nil || len(in.Messages) == 0 {
		http.Error(w, fmt.Sprintf(`{"error":{"message":"not understood: %v"}}`, err), http.StatusBadRequest)
		return
	}
	n, how := m.asked.Add(1), mood(m.mood.Load())
	switch how {
	case slow:
		select {
		case <-time.After(time.Duration(1+n%12) * time.Second):
		case <-r.Context().Done():
			return
		}
	case broken:
		http.Error(w, `{"error":{"message":"broken on purpose"}}`, http.StatusInternalServerError)
		return
	}
	text := answer(in.Format.Schema.Name, in.Messages[len(in.Messages)-1].Content, how == wrong)
	if how == wrong {
		switch n % 3 {
		case 0:
			text = text[:len(text)/2] + "]}"
		case 1:
			text = `{"unheard_of":true}`
		}
	}
	said, _ := json.Marshal(text) // a string can be encoded
	const usage = `"usage":{"prompt_tokens":50,"completion_tokens":5,"total_tokens":55}`
	body := fmt.Sprintf(`{"id":"x","object":"chat.completion","model":"loopback","choices":[{"index":0,"message":{"role":"assistant","content":%s},"finish_reason":"stop"}],%s}`, said, usage)
	w.Header().Set("Content-Type", "application/json")
	if in.Stream {
		w.Header().Set("Content-Type", "text/event-stream")
		body = fmt.Sprintf("data: {\"id\":\"x\",\"object\":\"chat.completion.chunk\",\"model\":\"loopback\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":%s}}]}\n\n"+
			"data: {\"id\":\"x\",\"object\":\"chat.completion.chunk\",\"model\":\"loopback\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}],%s}\n\ndata: [DONE]\n\n", said, usage)
	}
	if how == cut {
		body = body[:len(body)*2/3]
	}
	_, _ = io.WriteString(w, body) // the server that asked may be dead
	if how == cut {
		_ = http.NewResponseController(w).Flush()
		if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
			_ = conn.Close() // which is the point
		}
	}
}

var block = regexp.MustCompile(`(?s)<data-\S+ ([a-z]+)(?: (\d+))?>\n(.*?)\n</data-`)

// answer answers a prompt. With false words it quotes what is not there.
func answer(skill, prompt string, falsely bool) string {
	parts := map[string]string{}
	var source, best, title string
	most := -1
	blocks := block.FindAllStringSubmatch(prompt, -1)
	for _, b := range blocks {
		parts[b[1]] = b[3]
	}
	wanted := map[string]bool{}
	for _, w := range strings.Fields(strings.ToLower(parts["question"] + " " + parts["claim"])) {
		wanted[strings.Trim(w, ".,?")] = true
	}
	for _, b := range blocks {
		head, text, ok := strings.Cut(b[3], "\n\n")
		if b[1] != "source" || !ok {
			continue
		}
		for s := range strings.SplitAfterSeq(text, ". ") {
			n := 0
			for w := range strings.FieldsSeq(strings.ToLower(s)) {
				if wanted[strings.Trim(w, ".,?")] {
					n++
				}
			}
			if n > most {
				most, best, source = n, strings.TrimSpace(s), b[2]
				title, _, _ = strings.Cut(strings.TrimPrefix(head, "Title: "), "\n")
			}
		}
	}
	if falsely {
		best = strings.Replace(best, " ", " never ", 1)
	}
	quoted, _ := json.Marshal(best) // a string can be encoded
	switch skill {
	case "query_rewrite":
		q, _ := json.Marshal(parts["question"])
		return fmt.Sprintf(`{"primary":%s,"alternatives":["which duty the harbour rules give","what a skipper must do in the port"]}`, q)
	case "judge_claim":
		if source == "" {
			return `{"status":"unsupported","confidence":0.2,"quotes":[],"against":[],"reason":"nothing says so"}`
		}
		return fmt.Sprintf(`{"status":"supported","confidence":0.9,"quotes":[{"source":%s,"text":%s}],"against":[],"reason":"it says so"}`, source, quoted)
	case "extract_fields", "refine_extraction":
		var list []string
		for text := range strings.Lines(parts["document"]) {
			name, value, ok := strings.Cut(strings.TrimSpace(text), ": ")
			if !ok || name != "total" && name != "payee" {
				continue
			}
			quote := value
			if falsely {
				quote += "0"
			}
			list = append(list, fmt.Sprintf(`{"path":%q,"value":%q,"quote":%q,"row":0,"confidence":0.9}`, name, quote, quote))
		}
		return `{"fields":[` + strings.Join(list, ",") + `]}`
	}
	if source == "" {
		return "No passage answers this question."
	}
	return fmt.Sprintf("### Rule\n“%s” [Source %s]\n\n## Sources\n- [Source %s] %s", best, source, source, title)
}
