package weaviate_test

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"example.com/assay/memory/index"
	"example.com/assay/memory/index/indextest"
	"example.com/assay/memory/index/sourcetest"
	"example.com/assay/memory/index/weaviate/weaviatetest"
	"example.com/assay/memory/retrieval"
	"example.com/assay/state"
)

// Three nodes keep two copies of each passage. With one killed, questions get the answers
// that they got before. Killed while passages are written, and started again, it loses
// none.
func TestNodeKilled(t *testing.T) {
	nodes := weaviatetest.Start(t, 3)
	address := nodes.Address("?shards=3&replicas=2")
	passages := indextest.Synthesise(1500, 4)
	t.Run("writing", func(t *testing.T) { killedWriting(t, nodes, address) })
	p := sourcetest.Publish(t, connect(t, address).Collection(className()), passages)
	t.Run("asking", func(t *testing.T) { killedAsking(t, nodes, p.Served, indextest.Questions(120, passages, 9)) })
}

func killedAsking(t *testing.T, nodes *weaviatetest.Cluster, x *index.Index, questions []string) {
	answers := make([]string, len(questions))
	ask := func(i int) (string, error) {
		r, err := x.Search(t.Context(), retrieval.Query{Primary: questions[i]})
		ids := []string{}
		for _, h := range r.Hits {
			ids = append(ids, h.Passage.ID)
		}
		data, _ := json.Marshal(ids)
		return string(data), err
	}
	for i := range questions {
		var err error
		if answers[i], err = ask(i); err != nil {
			t.Fatal(err)
		}
	}
	for node := range 3 {
		killed := make(chan struct{})
		var slowest time.Duration
		var asking sync.WaitGroup
		errs, different := make([]error, len(questions)), make([]bool, len(questions))
		asking.Go(func() {
			for i := range questions {
				if i == len(questions)/4 {
					nodes.Kill(node)
					close(killed)
				}
				from := time.Now()
				got, err := ask(i)
				slowest = max(slowest, time.Since(from))
				errs[i], different[i] = err, got != answers[i]
			}
		})
		<-killed
		asking.Wait()
		others := 0
		for _, other := range different {
			if other {
				others++
			}
		}
		t.Logf("node %d killed while asked: %d of %d answers are others, the slowest took %v", node, others, len(questions), slowest.Round(time.Millisecond))
		if err := errors.Join(errs...); err != nil || others > 0 {
			t.Errorf("node %d killed: %d of %d answers are others: %v", node, others, len(questions), err)
		}
		nodes.Run(node)
		nodes.Ready(node)
	}
}

func killedWriting(t *testing.T, nodes *weaviatetest.Cluster, address string) {
	const n = 6000
	passages := indextest.Synthesise(n, 5)
	dir := t.TempDir()
	files, served := filepath.Join(dir, "files"), filepath.Join(dir, "served")
	if _, err := index.Update(t.Context(), index.UpdateOptions{Dir: files, Add: passages}); err != nil {
		t.Fatal(err)
	}
	to := connect(t, address).Collection(className())
	var once sync.Once
	var restarting sync.WaitGroup
	from := time.Now()
	if err := index.Publish(t.Context(), index.PublishOptions{From: files, Dir: served, To: to, Progress: func(phase string, done, _ int) {
		if phase == index.PhaseWrite && done > n/3 {
			once.Do(func() {
				nodes.Kill(1)
				restarting.Go(func() {
					time.Sleep(10 * time.Second)
					nodes.Run(1)
				})
			})
		}
	}}); err != nil {
		t.Fatal(err)
	}
	restarting.Wait()
	t.Logf("%d passages written in %v, with node 1 gone for 10 s", n, time.Since(from).Round(time.Second))
	nodes.Ready(1)
	for node := range 3 { // what each pair of the nodes knows
		nodes.Kill(node)
		if lost := missing(t, to, passages); len(lost) > 0 {
			t.Errorf("without node %d %d passages are lost, first %s", node, len(lost), lost[0])
		}
		nodes.Run(node)
		nodes.Ready(node)
	}
}

// missing lists the passages that are not in a collection.
func missing(t *testing.T, in index.Collection, passages []state.Passage) (lost []string) {
	t.Helper()
	for from := 0; from < len(passages); from += 100 {
		var ids []string
		for _, p := range passages[from:min(from+100, len(passages))] {
			ids = append(ids, p.ID)
		}
		found, err := in.Find(t.Context(), []index.Ask{{Where: []index.Where{{Field: index.FieldID, OneOf: ids}}, Limit: len(ids)}})
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range ids {
			if !slices.ContainsFunc(found[0], func(r index.Record) bool { return r.Passage.ID == id }) {
				lost = append(lost, id)
			}
		}
	}
	return lost
}
