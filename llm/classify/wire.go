package classify

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"example.com/assay/llm"
)

// A dialect is a server's protocol. Its value is the name of a model without a name.
type dialect string

const (
	predict  dialect = "tei"
	classify dialect = "classify"
	chat     dialect = "chat"
)

// dialectOf returns the protocol that an address implies, and the full address.
func dialectOf(url string) (dialect, string, bool) {
	switch {
	case strings.HasSuffix(url, "/predict"):
		return predict, url, true
	case strings.HasSuffix(url, "/classify"):
		return classify, url, true
	case strings.HasSuffix(url, "/chat/completions"):
		return chat, url, true
	case strings.HasSuffix(url, "/v1"):
		return chat, url + "/chat/completions", true
	}
	return "", url, false
}

// topTokens is how many of the most probable first tokens a /v1 server is asked for.
const topTokens = 5

// request returns the body of a request. A /v1 request holds one input; with plain it does not ask
// for probabilities.
func (c *Client) request(inputs []Input, plain bool) any {
	switch c.wire {
	case predict:
		list := make([][]string, len(inputs)) // each text in its own list, since a list of two texts is a pair
		for i, in := range inputs {
			list[i] = []string{in.Text}
			if c.task == Support {
				list[i] = append(list[i], in.Claim)
			}
		}
		return struct {
			Inputs   [][]string `json:"inputs"`
			Truncate bool       `json:"truncate"` // the server cuts a long text instead of refusing it
		}{list, true}
	case classify:
		list := make([]string, len(inputs))
		for i, in := range inputs {
			list[i] = c.prompt(in)
		}
		return struct {
			Model string   `json:"model,omitempty"`
			Input []string `json:"input"`
		}{c.opts.Model, list}
	}
	type message struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	body := struct {
		Model       string    `json:"model"`
		Messages    []message `json:"messages"`
		MaxTokens   int       `json:"max_tokens"`
		Temperature float64   `json:"temperature"`
		Logprobs    bool      `json:"logprobs,omitempty"`
		TopLogprobs int       `json:"top_logprobs,omitempty"`
	}{Model: c.opts.Model, Messages: []message{{"user", c.prompt(inputs[0])}}, MaxTokens: 1}
	if !plain {
		body.Logprobs, body.TopLogprobs = true, topTokens
	}
	return body
}

// prompt returns an input as one text; a claim in MiniCheck's format.
func (c *Client) prompt(in Input) string {
	if c.task != Support {
		return in.Text
	}
	return "Document: " + in.Text + "\nClaim: " + in.Claim
}

// An answer is a server's answer.
type answer struct {
	scores []Score
	usage  llm.Usage
	model  string // the server's name for it; may be empty
}

func (c *Client) decode(body []byte, n int) (answer, error) {
	switch c.wire {
	case predict:
		return c.decodePredict(body, n)
	case classify:
		return c.decodeClassify(body, n)
	}
	return c.decodeChat(body)
}

// decodePredict reads a list of labels with scores for each input.
func (c *Client) decodePredict(body []byte, n int) (out answer, err error) {
	var lists [][]struct {
		Label string   `json:"label"`
		Score *float64 `json:"score"`
	}
	if err := json.Unmarshal(body, &lists); err != nil {
		return out, fmt.Errorf("decoding it: %w", err)
	}
	if len(lists) != n {
		return out, fmt.Errorf("it classifies %d texts of %d", len(lists), n)
	}
	for _, list := range lists {
		var labels []string
		sums := map[Class]float64{}
		for _, l := range list {
			if l.Score == nil || !probable(*l.Score) {
				return out, fmt.Errorf("the score of label %q is not a probability", llm.Cut(l.Label, 50))
			}
			labels = append(labels, l.Label)
			if class, ok := c.class(l.Label); ok {
				sums[class] += *l.Score
			}
		}
		if _, ok := sums[c.task.Classes()[0]]; !ok {
			return out, c.unknown(labels)
		}
		out.scores = append(out.scores, c.score(sums))
	}
	return out, nil
}

// probable reports whether x is a probability, up to rounding.
func probable(x float64) bool { return x >= 0 && x <= 1.001 }

// score combines the probabilities of classes.
func (c *Client) score(sums map[Class]float64) Score {
	s := Score{P: min(sums[c.task.Classes()[0]], 1)}
	if c.task == Support {
		s.Against = min(sums[Contradicted], 1)
	}
	return s
}

func (c *Client) unknown(labels []string) error {
	e := &LabelError{Task: c.task}
	for _, l := range labels[:min(len(labels), 10)] {
		e.Labels = append(e.Labels, llm.Cut(l, 50))
	}
	return e
}

// A classified is one result of /classify: its label with the highest probability, and the
// probabilities of all classes by number, without their names.
type classified struct {
	Index *int      `json:"index"`
	Label string    `json:"label"`
	Probs []float64 `json:"probs"`
}

func (c *Client) decodeClassify(body []byte, n int) (out answer, err error) {
	var said struct {
		Model string       `json:"model"`
		Data  []classified `json:"data"`
		Usage struct {
			Prompt int `json:"prompt_tokens"`
		} `json:"usage"`
	}
	if err := json.Unmarshal(body, &said); err != nil {
		return out, fmt.Errorf("decoding it: %w", err)
	}
	if len(said.Data) != n {
		return out, fmt.Errorf("it classifies %d texts of %d", len(said.Data), n)
	}
	out = answer{scores: make([]Score, n), usage: llm.Usage{InputTokens: max(0, said.Usage.Prompt)}, model: said.Model}
	seen := make([]bool, n)
	for i, d := range said.Data {
		at := i
		if d.Index != nil {
			at = *d.Index
		}
		if at < 0 || at >= n || seen[at] {
			return answer{}, fmt.Errorf("result %d is for text %d, which does not exist or already has a result", i+1, at)
		}
		seen[at] = true
		if out.scores[at], err = c.scoreOf(d); err != nil {
			return answer{}, err
		}
	}
	return out, nil
}

// scoreOf reads a result by the numbers of its classes if the options give them, else by its label.
// If the label is another class, the wanted class gets an equal share of the rest: exact for two
// classes.
func (c *Client) scoreOf(d classified) (Score, error) {
	if len(d.Probs) == 0 {
		return Score{}, errors.New("a result has no probabilities")
	}
	best := 0.0
	for _, p := range d.Probs {
		if !probable(p) {
			return Score{}, errors.New("a result has a number that is not a probability")
		}
		best = max(best, p)
	}
	wanted, sums, byNumber := c.task.Classes()[0], map[Class]float64{}, false
	for n, class := range c.numbered() {
		if n < len(d.Probs) {
			sums[class] += d.Probs[n]
			byNumber = byNumber || class == wanted
		}
	}
	if byNumber {
		return c.score(sums), nil
	}
	class, ok := c.class(d.Label)
	if !ok {
		return Score{}, c.unknown([]string{d.Label})
	}
	sums = map[Class]float64{class: best}
	if class != wanted {
		sums[wanted] = (1 - best) / float64(max(len(d.Probs)-1, 1))
	}
	return c.score(sums), nil
}

// The probabilities of Yes and No from a server that returns only the word.
const (
	bareYes = .9
	bareNo  = .1
)

// decodeChat reads Yes or No, and their probabilities if the server returns them.
func (c *Client) decodeChat(body []byte) (out answer, err error) {
	type token struct {
		Token   string   `json:"token"`
		Logprob *float64 `json:"logprob"`
	}
	var said struct {
		Model   string `json:"model"`
		Choices []struct {
			Message struct {
				Content string `json:"content"`
			} `json:"message"`
			Logprobs *struct {
				Content []struct {
					Top []token `json:"top_logprobs"`
				} `json:"content"`
			} `json:"logprobs"`
		} `json:"choices"`
		Usage struct {
			Prompt     int `json:"prompt_tokens"`
			Completion int `json:"completion_tokens"`
		} `json:"usage"`
	}
	if err := json.Unmarshal(body, &said); err != nil {
		return out, fmt.Errorf("decoding it: %w", err)
	}
	if len(said.Choices) == 0 {
		return out, errors.New("it has no choices")
	}
	out.usage = llm.Usage{InputTokens: max(0, said.Usage.Prompt), OutputTokens: max(0, said.Usage.Completion)}
	out.model = said.Model
	choice := said.Choices[0]
	sums := map[Class]float64{}
	if choice.Logprobs != nil && len(choice.Logprobs.Content) > 0 {
		for _, t := range choice.Logprobs.Content[0].Top {
			if class, ok := c.class(t.Token); ok && t.Logprob != nil && *t.Logprob <= 0 {
				sums[class] += math.Exp(*t.Logprob)
			}
		}
	}
	if all := sums[Supported] + sums[Contradicted] + sums[Unsupported]; all > 0 {
		out.scores = []Score{{P: sums[Supported] / all, Against: sums[Contradicted] / all}}
		return out, nil
	}
	class, ok := c.class(choice.Message.Content)
	if !ok {
		return answer{}, fmt.Errorf("it is %q, neither Yes nor No", llm.Cut(strings.TrimSpace(choice.Message.Content), 50))
	}
	out.scores = []Score{{P: bareNo}}
	if class == Supported {
		out.scores[0].P = bareYes
	}
	return out, nil
}
