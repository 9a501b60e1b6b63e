package classify

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"example.com/assay/memory/text"
	"example.com/assay/state"
)

// A Task is a classification task.
type Task int

const (
	Support   Task = iota // whether a text supports a claim
	Injection             // whether a text is prompt injection
)

// name is the server's name in errors.
func (t Task) name() string {
	if t == Injection {
		return "injection detector"
	}
	return "judge"
}

// A Class is the meaning of a label.
type Class string

const (
	Supported    Class = "supported"    // Support: the text supports the claim
	Contradicted Class = "contradicted" // Support: the text contradicts the claim
	Unsupported  Class = "unsupported"  // Support: neither
	Orders       Class = "orders"       // Injection: the text is prompt injection
	Harmless     Class = "harmless"     // Injection: the text is not prompt injection
)

// Classes returns the classes of a task; the first is the one of interest.
func (t Task) Classes() []Class {
	if t == Injection {
		return []Class{Orders, Harmless}
	}
	return []Class{Supported, Contradicted, Unsupported}
}

// usual are the labels that need no explanation, by their letters and digits in lower case.
var usual = map[Task]map[Class][]string{
	Support: {
		Supported:    {"entailment", "entailed", "entails", "entail", "support", "supports", "supported", "yes", "true", "consistent", "faithful", "factual", "grounded", "attributable"},
		Contradicted: {"contradiction", "contradicts", "contradicted", "contradict", "refute", "refutes", "refuted"},
		Unsupported:  {"neutral", "notentailment", "notentailed", "nonentailment", "notenoughinfo", "nei", "unsupported", "notsupported", "no", "false", "inconsistent", "unfaithful", "hallucination", "hallucinated", "notattributable"},
	},
	Injection: {
		Orders:   {"injection", "promptinjection", "jailbreak", "attack", "malicious", "adversarial", "unsafe", "orders"},
		Harmless: {"safe", "benign", "legit", "legitimate", "normal", "clean", "harmless", "notinjection", "noinjection"},
	},
}

// Labels are the classes of a model's labels. LABEL_1 and the number 1 are a model's second class.
type Labels map[string]Class

// ParseLabels reads labels such as "LABEL_0=supported, LABEL_1=unsupported".
func ParseLabels(task Task, list string) (Labels, error) {
	out := Labels{}
	for part := range strings.SplitSeq(list, ",") {
		label, class, ok := strings.Cut(part, "=")
		label, class = strings.TrimSpace(label), strings.TrimSpace(class)
		if !ok || text.Letters(label) == "" || out[label] != "" {
			return nil, fmt.Errorf("%q does not name one label and its class, each label once: write LABEL_1=%s", strings.TrimSpace(part), task.Classes()[0])
		}
		out[label] = Class(class)
	}
	return out, out.check(task)
}

// String returns the form that ParseLabels reads, sorted by label.
func (l Labels) String() string {
	var parts []string
	for _, label := range slices.Sorted(maps.Keys(l)) {
		parts = append(parts, label+"="+string(l[label]))
	}
	return strings.Join(parts, ", ")
}

func (l Labels) check(task Task) error {
	for _, label := range slices.Sorted(maps.Keys(l)) {
		if !slices.Contains(task.Classes(), l[label]) {
			return fmt.Errorf("label %q means %q: it must be one of %v", label, l[label], task.Classes())
		}
	}
	return nil
}

// class returns the class of a label, and whether it is known.
func (c *Client) class(label string) (Class, bool) {
	name := text.Letters(label)
	for given, class := range c.opts.Labels {
		if text.Letters(given) == name {
			return class, true
		}
	}
	for class, names := range usual[c.task] {
		if slices.Contains(names, name) {
			return class, true
		}
	}
	return "", false
}

// numbered returns the classes that the options give by number.
func (c *Client) numbered() map[int]Class {
	out := map[int]Class{}
	for given, class := range c.opts.Labels {
		if n, err := strconv.Atoi(strings.TrimPrefix(text.Letters(given), "label")); err == nil {
			out[n] = class
		}
	}
	return out
}

// A LabelError reports that no label of a server's model is known, so its scores have no meaning
// yet.
type LabelError struct {
	Task   Task
	Labels []string // at most ten
}

func (e *LabelError) Error() string {
	return fmt.Sprintf("reading the answer of the %s: it is not known which of its labels (%s) means %q", e.Task.name(), strings.Join(e.Labels, ", "), e.Task.Classes()[0])
}

// Cause is model.
func (e *LabelError) Cause() state.Cause { return state.CauseModel }
