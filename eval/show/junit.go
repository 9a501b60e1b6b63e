package show

import (
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"

	"example.com/assay/eval"
)

// The elements of JUnit's XML that CI servers read.
type (
	junitSuites struct {
		XMLName  xml.Name   `xml:"testsuites"`
		Name     string     `xml:"name,attr"`
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Errors   int        `xml:"errors,attr"`
		Time     string     `xml:"time,attr"`
		Suite    junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name       string          `xml:"name,attr"`
		Tests      int             `xml:"tests,attr"`
		Failures   int             `xml:"failures,attr"`
		Errors     int             `xml:"errors,attr"`
		Skipped    int             `xml:"skipped,attr"`
		Time       string          `xml:"time,attr"`
		Timestamp  string          `xml:"timestamp,attr"`
		Properties []junitProperty `xml:"properties>property"`
		Cases      []junitCase     `xml:"testcase"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		Class   string       `xml:"classname,attr"`
		Name    string       `xml:"name,attr"`
		Time    string       `xml:"time,attr"`
		Failure *junitReason `xml:"failure"`
		Error   *junitReason `xml:"error"`
	}
	junitReason struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",chardata"`
	}
)

// JUnit writes results as JUnit XML: a suite for the run and a test for each item, with the
// pipeline as its class. The misses of an item are failures; an item that could not run is an
// error. Times are in seconds, and that of the suite is their sum. Characters that XML does not
// allow are written as U+FFFD.
func JUnit(w io.Writer, r eval.Results) error {
	suite := junitSuite{Name: "agent eval cases, " + r.Model, Tests: len(r.Items), Timestamp: strings.TrimSuffix(r.Made.Date, "Z")}
	for _, f := range facts(r) {
		suite.Properties = append(suite.Properties, junitProperty{f.Name, f.Text})
	}
	total := 0.0
	for _, item := range r.Items {
		total += item.LatencyMS
		one := junitCase{Class: item.Pipeline, Name: item.Name(), Time: seconds(item.LatencyMS)}
		if why := reasons(item); len(why) > 0 {
			reason := &junitReason{Message: why[0], Type: "missed", Text: strings.Join(why, "\n")}
			if notRun(item) {
				reason.Type, one.Error = "not_run", reason
				suite.Errors++
			} else {
				one.Failure = reason
				suite.Failures++
			}
		}
		suite.Cases = append(suite.Cases, one)
	}
	suite.Time = seconds(total)
	all := junitSuites{Name: suite.Name, Tests: suite.Tests, Failures: suite.Failures, Errors: suite.Errors, Time: suite.Time, Suite: suite}
	out, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		return fmt.Errorf("writing JUnit XML: %w", err)
	}
	if _, err := fmt.Fprintf(w, "%s%s\n", xml.Header, out); err != nil {
		return fmt.Errorf("writing JUnit XML: %w", err)
	}
	return nil
}

func seconds(ms float64) string { return strconv.FormatFloat(ms/1000, 'f', 3, 64) }
