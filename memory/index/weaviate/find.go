package weaviate

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"example.com/assay/memory/index"
)

// A row is what a query returns of a record.
type row struct {
	Passage     string
	Own, Within []string
	Title       string
	Place       int
	Opens       bool
}

// Find sends all asks as one query.
func (c *class) Find(ctx context.Context, asks []index.Ask) ([][]index.Record, error) {
	if len(asks) == 0 {
		return nil, nil
	}
	var b strings.Builder
	b.WriteString("{Get{")
	for i, ask := range asks {
		fmt.Fprintf(&b, "a%d:%s(%s){%s own within title place opens}\n", i, c.name, arguments(ask), passageProperty)
	}
	b.WriteString("}}")
	var found struct{ Get map[string][]row }
	if err := c.server.query(ctx, b.String(), &found); err != nil {
		return nil, fmt.Errorf("asking class %s: %w", c.name, err)
	}
	out := make([][]index.Record, len(asks))
	for i := range asks {
		for _, r := range found.Get[fmt.Sprintf("a%d", i)] {
			record := index.Record{Own: r.Own, Within: r.Within, Title: r.Title, Place: r.Place, Opens: r.Opens}
			if err := json.Unmarshal([]byte(r.Passage), &record.Passage); err != nil {
				return nil, fmt.Errorf("reading a passage of class %s: %w", c.name, err)
			}
			out[i] = append(out[i], record)
		}
	}
	return out, nil
}

// arguments are those of one ask.
func arguments(ask index.Ask) string {
	out := []string{fmt.Sprintf("limit:%d", ask.Limit)}
	switch {
	case len(ask.Terms) > 0:
		out = append(out, fmt.Sprintf("bm25:{query:%s,properties:[%q]}", quoted(strings.Join(ask.Terms, " ")), termsProperty))
	case ask.Vector != nil:
		out = append(out, fmt.Sprintf("nearVector:{vector:%s}", quoted(short(ask.Vector))))
	case ask.Before != nil:
		out = append(out, fmt.Sprintf("sort:[{path:[%q],order:desc}]", placeProperty))
	case ask.After != nil:
		out = append(out, fmt.Sprintf("sort:[{path:[%q],order:asc}]", placeProperty))
	}
	var where []string
	for _, w := range ask.Where {
		values := safe(w.OneOf)
		if w.Field == index.FieldID {
			for i, id := range w.OneOf {
				values[i] = uuid(id)
			}
		}
		where = append(where, fmt.Sprintf("{path:[%q],operator:ContainsAny,valueText:%s}", w.Field, quoted(values)))
	}
	if ask.Before != nil {
		where = append(where, fmt.Sprintf("{path:[%q],operator:LessThan,valueInt:%d}", placeProperty, *ask.Before))
	}
	if ask.After != nil {
		where = append(where, fmt.Sprintf("{path:[%q],operator:GreaterThan,valueInt:%d}", placeProperty, *ask.After))
	}
	switch len(where) {
	case 0:
	case 1:
		out = append(out, "where:"+where[0])
	default:
		out = append(out, "where:{operator:And,operands:["+strings.Join(where, ",")+"]}")
	}
	return strings.Join(out, ",")
}

// quoted writes a value as GraphQL reads it, which for texts and numbers is JSON.
func quoted(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // texts and finite numbers have JSON
	}
	return string(data)
}
