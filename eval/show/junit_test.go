package show

import (
	"bytes"
	"encoding/xml"
	"strings"
	"testing"
)

// What CI servers read is there when it is parsed back, whatever the text.
func TestJUnit(t *testing.T) {
	r, _ := hostile(t)
	var b bytes.Buffer
	if err := JUnit(&b, r); err != nil {
		t.Fatal(err)
	}
	var got junitSuites
	if err := xml.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	s := got.Suite
	if got.Tests != 3 || s.Tests != 3 || s.Failures != 1 || s.Errors != 1 || got.Failures != 1 || got.Errors != 1 || s.Time != "2.000" || s.Timestamp != "2026-01-02T03:04:05" || len(s.Cases) != 3 {
		t.Fatalf("%+v", got)
	}
	properties := map[string]string{}
	for _, p := range s.Properties {
		properties[p.Name] = p.Value
	}
	if properties["model"] != attack || properties["machine"] != attack || properties["bootstrap seed"] == "" || properties["case set"] != r.Made.CaseSet {
		t.Errorf("%q", properties)
	}
	failed, passed, lost := s.Cases[0], s.Cases[1], s.Cases[2]
	if failed.Class != "research" || failed.Name != attack+" #1" || failed.Time != "1.500" || failed.Error != nil || failed.Failure == nil {
		t.Fatalf("%+v", failed)
	}
	if want := attack + "\nand a line"; failed.Failure.Message != want || failed.Failure.Text != want+"\n\uFFFD\uFFFD[31m\uFFFD" {
		t.Errorf("%q %q", failed.Failure.Message, failed.Failure.Text)
	}
	if passed.Name != attack+" #2" || passed.Failure != nil || passed.Error != nil {
		t.Errorf("%+v", passed)
	}
	if lost.Failure != nil || lost.Error == nil || !strings.Contains(lost.Error.Text, "not run: no such file") {
		t.Errorf("%+v", lost)
	}
}
