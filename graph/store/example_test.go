package store_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"example.com/assay/graph/store"
	"example.com/assay/graph/store/memory"
	"example.com/assay/graph/store/storetest"
)

type person struct {
	Name string `json:"name"`
	Age  int    `json:"age"`
	Note string `json:"note,omitempty"`
}

// people returns a store with three of them.
func people(ctx context.Context, opts *store.Options) store.Store {
	s, err := memory.New(opts)
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range []person{{"ann", 31, "eats no fish"}, {"bob", 9, "drinks tea"}, {"eve", 64, "reads"}} {
		if err := store.Put(ctx, s, []string{"people", p.Name}, "profile", p, nil); err != nil {
			log.Fatal(err)
		}
	}
	return s
}

func ExamplePut() {
	ctx := context.Background()
	s, err := memory.New(nil)
	if err != nil {
		log.Fatal(err)
	}
	ann := []string{"people", "ann"}
	if err := store.Put(ctx, s, ann, "profile", person{Name: "ann", Age: 31}, &store.PutOptions{TTL: time.Hour}); err != nil {
		log.Fatal(err)
	}
	p, err := store.Get[person](ctx, s, ann, "profile")
	fmt.Println(p.Age, err)
	err = store.Put(ctx, s, []string{"people", "a.b"}, "profile", p, nil)
	fmt.Println(err)
	// Output:
	// 31 <nil>
	// putting: invalid namespace: label "a.b" has a "." (key "profile" in namespace ["people" "a.b"])
}

func ExampleGet() {
	ctx := context.Background()
	_, err := store.Get[person](ctx, people(ctx, nil), []string{"people", "zoe"}, "profile")
	fmt.Println(err, errors.Is(err, store.ErrNotFound))
	// Output: getting key "profile" in namespace ["people" "zoe"]: no such item true
}

func ExampleDelete() {
	ctx := context.Background()
	s := people(ctx, nil)
	if err := store.Delete(ctx, s, []string{"people", "bob"}, "profile"); err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.ListNamespaces(ctx, store.NamespaceQuery{}))
	// Output: [[people ann] [people eve]] <nil>
}

func ExampleNew() {
	ctx := context.Background()
	rows := memory.NewBackend() // or whatever keeps rows
	s, err := store.New(rows, &store.Options{TTL: time.Hour})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.Sweep(ctx))
	// Output: 0 <nil>
}

func ExampleEncode() {
	ctx := context.Background()
	s := people(ctx, nil)
	op, err := store.Encode([]string{"people", "kim"}, "profile", person{Name: "kim"})
	if err != nil {
		log.Fatal(err)
	}
	// Kim comes and Bob goes, in one transaction.
	err = s.Apply(ctx, op, store.Op{Namespace: []string{"people", "bob"}, Key: "profile"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.ListNamespaces(ctx, store.NamespaceQuery{Prefix: []string{"people"}}))
	// Output: [[people ann] [people eve] [people kim]] <nil>
}

func ExampleAtLeast() {
	ctx := context.Background()
	results, err := people(ctx, nil).Search(ctx, store.Query{
		Namespace: []string{"people"},
		Filters:   []store.Filter{store.AtLeast("age", 18), store.NotEqual("name", "eve")},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range results {
		p, err := store.Decode[person](r.Item)
		fmt.Println(p.Name, err)
	}
	// Output: ann <nil>
}

func ExampleParseFilters() {
	ctx := context.Background()
	filters, err := store.ParseFilters([]byte(`{"age": {"$gt": 9, "$lt": 64}}`))
	if err != nil {
		log.Fatal(err)
	}
	results, err := people(ctx, nil).Search(ctx, store.Query{Filters: filters})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(results), string(results[0].Value))
	_, err = store.ParseFilters([]byte(`{"age": {"$near": 9}}`))
	fmt.Println(err)
	// Output:
	// 1 {"name":"ann","age":31,"note":"eats no fish"}
	// invalid filter: unknown operator "$near" on "age": known are $eq, $ne, $gt, $gte, $lt, $lte, $in
}

func ExampleQuery_text() {
	ctx := context.Background()
	s := people(ctx, &store.Options{
		// An embedder that counts words; a real one asks a model.
		Embedder: &storetest.Words{Name: "words", Vocabulary: []string{"fish", "tea"}},
		Fields:   []string{"note"},
	})
	results, err := s.Search(ctx, store.Query{Text: "who drinks tea ?", Limit: 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(results[0].Namespace, results[0].Score)
	// Output: [people bob] 1
}
