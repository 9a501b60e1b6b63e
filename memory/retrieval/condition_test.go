package retrieval_test

import (
	"reflect"
	"slices"
	"testing"

	"example.com/assay/memory/retrieval"
	"example.com/assay/memory/text"
)

func TestParseCondition(t *testing.T) {
	for in, want := range map[string]retrieval.Condition{
		"topic=battery":   {Key: "topic", OneOf: []string{"battery"}},
		"Source Type=a b": {Key: "source_type", OneOf: []string{"a b"}},
		"topic=a|b|c":     {Key: "topic", OneOf: []string{"a", "b", "c"}},
		"dir=law/*":       {Key: "dir", Prefix: "law/"},
		"topic=*":         {Key: "topic"},
		`x=a\|b`:          {Key: "x", OneOf: []string{"a|b"}},
		`x=a\*`:           {Key: "x", OneOf: []string{"a*"}},
		"x=a*b":           {Key: "x", OneOf: []string{"a*b"}},
		"x=a=b":           {Key: "x", OneOf: []string{"a=b"}},
		"topic":           {},
		"=x":              {},
		"topic=":          {},
		"topic=a||b":      {},
		"topic=a|b*":      {},
	} {
		got, err := retrieval.ParseCondition(in)
		if !reflect.DeepEqual(got, want) || (err != nil) != (want.Key == "") {
			t.Errorf("ParseCondition(%q) = %+v, %v; want %+v", in, got, err, want)
		}
	}
}

func FuzzParseCondition(f *testing.F) {
	f.Add("topic=a|b")
	f.Add(`a=\`)
	f.Fuzz(func(t *testing.T, s string) {
		c, err := retrieval.ParseCondition(s)
		if err == nil && (c.Key == "" || c.Key != text.Key(c.Key) || slices.Contains(c.OneOf, "") || len(c.OneOf) > 0 && c.Prefix != "") {
			t.Fatalf("%q is %+v", s, c)
		}
	})
}
