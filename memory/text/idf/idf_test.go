package idf_test

import (
	"math"
	"strings"
	"testing"

	"example.com/assay/memory/text/idf"
)

func TestNew(t *testing.T) {
	var sentences [][]string
	for _, s := range []string{"the beacon", "the mole", "the quay", "the quay of the port"} {
		sentences = append(sentences, strings.Fields(s))
	}
	table := idf.New(sentences)
	if the, quay, beacon, none := table.Of("the"), table.Of("quay"), table.Of("beacon"), table.Of("zebra"); !(the < quay && quay < beacon && beacon < none) {
		t.Errorf("the %v, quay %v, beacon %v, zebra %v", the, quay, beacon, none)
	}
	if want := math.Log(1 + (4-1+.5)/1.5); math.Abs(table.Of("beacon")-want) > .5/16 {
		t.Errorf("beacon %v, want %v", table.Of("beacon"), want)
	}
	if err := idf.Default().Check(); err != nil || table[:9].Check() == nil {
		t.Errorf("the shipped table: %v; a short one is not refused", err)
	}
}
