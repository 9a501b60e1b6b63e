package comply

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/internal/plainfile"
	"example.com/assay/memory/text"
	"example.com/assay/memory/text/pattern"
	"example.com/assay/nodes/evidence"
)

// An askedQuestion is a row of --questions.
type askedQuestion struct {
	ID         string              `json:"id"`
	Question   string              `json:"question"`
	Topic      string              `json:"topic"`
	Section    string              `json:"section"`
	Category   string              `json:"category"`
	SourceType evidence.SourceType `json:"source_type"`

	meant string // a hint on a misspelt field, for a line without a question
}

// input is the input of the pipeline. The flags fill in what a row leaves out.
func (q askedQuestion) input(flags evidence.Filter) evidence.Input {
	return evidence.Input{Question: q.Question, Filter: evidence.Filter{
		Topic: cmp.Or(q.Topic, flags.Topic), Section: cmp.Or(q.Section, flags.Section),
		Category: cmp.Or(q.Category, flags.Category), SourceType: cmp.Or(q.SourceType, flags.SourceType),
		Explicit: flags.Explicit, AsOf: flags.AsOf,
	}}
}

// questionFields are the columns of a CSV file of questions, and the fields of a line of JSON.
var questionFields = []string{"id", "question", "topic", "section", "category", "source_type"}

// safeID matches the ids that may become file names.
var safeID = pattern.New(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

// readQuestions reads --questions. Errors name the file and the line.
func readQuestions(path string) ([]askedQuestion, error) {
	data, err := plainfile.Read(path, 0)
	if err != nil {
		return nil, cli.Usagef("reading --questions: %w", err)
	}
	if !utf8.Valid(data) {
		return nil, cli.Usagef("%s is not valid UTF-8 at byte %d", path, cli.InvalidAt(string(data)))
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	var list []askedQuestion
	var lines []int
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".csv":
		list, lines, err = questionRows(path, data)
	case ".jsonl":
		list, lines, err = questionLines(path, data)
	default:
		return nil, cli.Usagef("%s ends with %q: --questions reads .csv and .jsonl", path, ext)
	}
	if err != nil {
		return nil, err
	}
	seen := map[string]int{}
	for i := range list {
		q := &list[i]
		q.Question = strings.TrimSpace(q.Question)
		if q.ID == "" {
			q.ID = fmt.Sprintf("q%04d", i+1)
		}
		switch first := seen[strings.ToLower(q.ID)]; {
		case !safeID.MatchString(q.ID):
			return nil, cli.Usagef("%s:%d: id is %q: it must be letters, digits, '.', '_' and '-', at most 100", path, lines[i], q.ID)
		case q.ID == "summary":
			return nil, cli.Usagef("%s:%d: id %q is the name of the summary; choose another", path, lines[i], q.ID)
		case first > 0:
			return nil, cli.Usagef("%s:%d: line %d has the id %q, too", path, lines[i], first, q.ID)
		case q.SourceType != "" && q.SourceType != evidence.Statute && q.SourceType != evidence.Policy:
			return nil, cli.Usagef("%s:%d: source_type is %q; known: statute, policy", path, lines[i], q.SourceType)
		}
		seen[strings.ToLower(q.ID)] = lines[i]
		if q.Question == "" {
			return nil, cli.Usagef("%s:%d: field question is missing or empty%s", path, lines[i], q.meant)
		}
		if err := cli.CheckQuestion(q.Question, complyExample); err != nil {
			return nil, cli.Usagef("%s:%d: question: %w", path, lines[i], err)
		}
	}
	if len(list) == 0 {
		return nil, cli.Usagef("%s holds no question", path)
	}
	return list, nil
}

func questionRows(path string, data []byte) ([]askedQuestion, []int, error) {
	r := csv.NewReader(bytes.NewReader(data))
	r.FieldsPerRecord = -1
	head, err := r.Read()
	switch {
	case errors.Is(err, io.EOF):
		return nil, nil, cli.Usagef("%s is empty: its first line must name the columns, one of them question", path)
	case err != nil:
		return nil, nil, cli.Usagef("%s: reading its head: %w", path, err)
	}
	column := map[string]int{}
	for i, name := range head {
		name = strings.ToLower(strings.TrimSpace(name))
		if !slices.Contains(questionFields, name) {
			return nil, nil, cli.Usagef("%s:1: column %q%s; known: %s", path, name, text.DidYouMean(name, questionFields), strings.Join(questionFields, ", "))
		}
		if _, twice := column[name]; twice {
			return nil, nil, cli.Usagef("%s:1: column %q is there twice", path, name)
		}
		column[name] = i
	}
	if _, ok := column["question"]; !ok {
		return nil, nil, cli.Usagef("%s:1: there is no column question", path)
	}
	var out []askedQuestion
	var lines []int
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return out, lines, nil
		}
		if bad, ok := errors.AsType[*csv.ParseError](err); ok {
			return nil, nil, cli.Usagef("%s:%d: the row that begins here is not CSV: %w", path, bad.StartLine, bad.Err)
		}
		if err != nil {
			return nil, nil, cli.Usagef("reading %s: %w", path, err)
		}
		line, _ := r.FieldPos(0)
		if len(row) > len(head) {
			return nil, nil, cli.Usagef("%s:%d: the row has %d fields and the head %d", path, line, len(row), len(head))
		}
		field := func(name string) string {
			if i, ok := column[name]; ok && i < len(row) {
				return strings.TrimSpace(row[i])
			}
			return ""
		}
		out = append(out, askedQuestion{
			ID: field("id"), Question: field("question"), Topic: field("topic"), Section: field("section"), Category: field("category"),
			SourceType: evidence.SourceType(field("source_type")),
		})
		lines = append(lines, line)
	}
}

func questionLines(path string, data []byte) ([]askedQuestion, []int, error) {
	var out []askedQuestion
	var lines []int
	for i, line := range bytes.Split(data, []byte("\n")) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var q askedQuestion
		err := json.Unmarshal(line, &q)
		switch kind, ok := errors.AsType[*json.UnmarshalTypeError](err); {
		case ok && kind.Field != "":
			return nil, nil, cli.Usagef("%s:%d: field %s is not text: it is of type %s", path, i+1, kind.Field, kind.Value)
		case ok:
			return nil, nil, cli.Usagef("%s:%d: the line is not a JSON object: it is of type %s", path, i+1, kind.Value)
		case err != nil:
			return nil, nil, cli.Usagef("%s:%d: the line is not a JSON object: %w", path, i+1, err)
		}
		if q.Question == "" {
			q.meant = meantQuestion(line)
		}
		out, lines = append(out, q), append(lines, i+1)
	}
	return out, lines, nil
}

// meantQuestion is the hint on a field that may be a misspelt "question".
func meantQuestion(line []byte) string {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(line, &fields); err != nil {
		return "" // cannot happen: the line was already read as an object
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if name != "question" && text.DidYouMean(name, []string{"question"}) != "" {
			return fmt.Sprintf("; the field %q is unknown: did you mean \"question\"?", name)
		}
	}
	return ""
}
