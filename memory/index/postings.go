package index

import (
	"context"
	"runtime"
	"sync"
)

// postingLists are the postings of terms of one question and its other
// wordings, which share most of them: each is read once. Body terms hold no
// space and bigrams hold one, so that both fields can share the map.
type postingLists struct {
	at   map[string]int
	list [][]posting // reused, also its elements, by the next question
	used int
	same []otherForm // whose terms are read with the postings of the other form
}

// of returns the postings of a term that was fetched.
func (l *postingLists) of(term string) []posting { return l.list[l.at[term]] }

// reset forgets the terms and keeps the memory.
func (l *postingLists) reset(same []otherForm) {
	clear(l.at)
	l.used, l.same = 0, same
}

// together is how many passages make it worth while to read the postings of
// several terms at once.
const together = 4096

// fetch reads the postings of terms that were not read yet, on all processors
// where the corpus is large.
func (x *Index) fetch(ctx context.Context, field string, terms []weighted, l *postingLists) error {
	if l.at == nil {
		l.at = make(map[string]int)
	}
	from := l.used
	var missing []string
	for _, q := range terms {
		if _, ok := l.at[q.term]; ok {
			continue
		}
		l.at[q.term] = l.used
		if l.used == len(l.list) {
			l.list = append(l.list, nil)
		}
		l.used++
		missing = append(missing, q.term)
	}
	errs := make([]error, len(missing))
	read := func(i int) {
		list := &l.list[from+i]
		*list, errs[i] = x.store.postings(ctx, field, missing[i], x.table.drawn, (*list)[:0])
		if field == bodyField && errs[i] == nil {
			*list, errs[i] = x.withOther(ctx, missing[i], *list, l.same)
		}
	}
	if workers := min(runtime.GOMAXPROCS(0), len(missing)); workers > 1 && x.table.len() >= together {
		x.readTogether(workers, len(missing), read, errs)
	} else {
		for i := range missing {
			read(i)
		}
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// readTogether runs read for 0 … n-1 on several goroutines, each guarded as
// the caller's is, and waits.
func (x *Index) readTogether(workers, n int, read func(i int), errs []error) {
	next := make(chan int, n) // handed out and not dealt: the postings of terms differ in length
	for i := range n {
		next <- i
	}
	close(next)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for i := range next {
				if err := guarded(func() error { read(i); return nil }); err != nil {
					errs[i] = err
				}
			}
		})
	}
	wg.Wait()
}
