package qa

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A Condition is something that an answer depends on: the corpus's
// fingerprint, the model, a skill's hash.
type Condition struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// An Entry is an answer that was given.
type Entry struct {
	ID         string          `json:"id"` // made from question and conditions; Store sets it
	Question   string          `json:"question"`
	Answer     string          `json:"answer,omitempty"`
	Payload    json.RawMessage `json:"payload,omitempty"` // the caller's data for giving the answer again
	Conditions []Condition     `json:"conditions,omitempty"`
	Confidence float64         `json:"confidence"`
	Stored     time.Time       `json:"stored"` // Store sets it
	Served     int             `json:"served"` // how often it was given again
	LastServed time.Time       `json:"last_served,omitzero"`
}

// Kind says how a question was found.
type Kind string

// The kinds of a Match.
const (
	None  Kind = ""
	Exact Kind = "exact" // the same question, typed another way at most
	Near  Kind = "near"  // the same question in other words
	Hint  Kind = "hint"  // another question, with much the same words
)

// Hit reports whether the answer is one to the question that was asked.
func (k Kind) Hit() bool { return k == Exact || k == Near }

// A Match is the result of a lookup.
type Match struct {
	Kind       Kind
	Similarity float64 // 1 for Exact, else the cosine of the two questions; 0 for None
	Entry      Entry   // empty for None; the answer of a Hint must not be served
}

// A Difference is a condition of an answer that no longer applies.
type Difference struct {
	Name string `json:"name"`
	Then string `json:"then"` // empty if it was not a condition then
	Now  string `json:"now"`  // empty if it is not a condition now
}

// Differences returns the conditions that prevent an entry stored under then from being served now,
// in the order of now, followed by those only in then.
func Differences(then, now []Condition) []Difference {
	var out []Difference
	value := func(list []Condition, name string) (string, bool) {
		i := slices.IndexFunc(list, func(c Condition) bool { return c.Name == name })
		if i < 0 {
			return "", false
		}
		return list[i].Value, true
	}
	for _, c := range now {
		if was, ok := value(then, c.Name); !ok || was != c.Value {
			out = append(out, Difference{c.Name, was, c.Value})
		}
	}
	for _, c := range then {
		if _, ok := value(now, c.Name); !ok {
			out = append(out, Difference{c.Name, c.Value, ""})
		}
	}
	return out
}

// Path returns the file of a corpus's memory: HOME/qa/NAME.db.
func Path(home, corpus string) string { return filepath.Join(home, "qa", corpus+".db") }

// An UnknownError says that no entry has an id, or that several begin with it.
type UnknownError struct {
	ID    string
	Begin []string // ids that begin with it, sorted; at most 4
}

func (e *UnknownError) Error() string {
	if len(e.Begin) > 0 {
		return fmt.Sprintf("several remembered answers have an id that begins with %q: %s; give more of it", e.ID, strings.Join(e.Begin, ", "))
	}
	return fmt.Sprintf("no remembered answer has the id %q", e.ID)
}

// A DamagedError says that a memory cannot be read. Nothing was changed or
// deleted.
type DamagedError struct {
	Path string
	Err  error
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("the memory of answers %q is damaged: %v", e.Path, e.Err)
}

func (e *DamagedError) Unwrap() error { return e.Err }

// conditionText returns the form in which conditions are stored and compared.
func conditionText(conditions []Condition) (string, error) {
	if conditions == nil {
		conditions = []Condition{}
	}
	text, err := json.Marshal(conditions)
	if err != nil {
		return "", fmt.Errorf("encoding the conditions: %w", err)
	}
	return string(text), nil
}

// idOf names the answer to a question under conditions: 16 hexadecimal digits.
func idOf(conditions, key string) string {
	sum := sha256.Sum256([]byte(conditions + "\n" + key))
	return hex.EncodeToString(sum[:8])
}
