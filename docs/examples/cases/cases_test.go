package main

import (
	"flag"
	"testing"

	"example.com/assay/eval/evaltest"
	"example.com/assay/nodes/react"
)

func TestAdder(t *testing.T) {
	model := script()
	app, err := adder(model, sum)
	if err != nil {
		t.Fatal(err)
	}
	final, err := app.Invoke(t.Context(), react.Say("What is 2 + 3?"), nil)
	if err != nil || react.Answer(final) != "It is 5." {
		t.Errorf("%q, %v", react.Answer(final), err)
	}
	seen := model.Requests()[1].Messages // what the model saw before its second answer
	if got := seen[len(seen)-1].Results[0].Text; got != "5" {
		t.Errorf("the tool said %q", got)
	}
	if left := model.Unused(); len(left) > 0 {
		t.Errorf("nobody asked for %q", left)
	}
}

var update = flag.Bool("update", false, "write the golden traces")

func TestCases(t *testing.T) {
	b, err := bench(sum)
	if err != nil {
		t.Fatal(err)
	}
	evaltest.Run(t, b, ".", &evaltest.Options{Update: *update})
}
