package serve_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A follower reads a run to its end over servers that are killed.
type follower struct {
	client *http.Client
	url    *atomic.Value // of the server that lives now
	whole
	all     []sse
	resumed int
}

// begin begins a run, if need be again.
func (f *follower) begin() (place string) {
	for {
		place, err := f.beginOnce(`{"assistant_id":"ten","input":{"wait":10,"tokens":3},"stream_mode":["values","updates","tasks","messages-tuple"]}`)
		if err == nil {
			return place
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// beginOnce begins a run on a new thread.
func (f *follower) beginOnce(body string) (place string, err error) {
	var made struct {
		Thread string `json:"thread_id"`
		Run    string `json:"run_id"`
	}
	for _, step := range []func() *http.Request{
		func() *http.Request { return post(f.url.Load().(string)+"/threads", "{}") },
		func() *http.Request { return post(f.url.Load().(string)+"/threads/"+made.Thread+"/runs", body) },
	} {
		answer, err := f.client.Do(step())
		if err == nil {
			err = errors.Join(json.NewDecoder(answer.Body).Decode(&made), answer.Body.Close())
		}
		if err != nil {
			return "", err
		}
	}
	if made.Run == "" {
		return "", errors.New("the run was refused")
	}
	return "/threads/" + made.Thread + "/runs/" + made.Run, nil
}

// follow reads a run from behind the last event that it has seen, again and again.
func (f *follower) follow(place string) {
	for {
		r, err := http.NewRequest("GET", f.url.Load().(string)+place+"/stream", nil)
		if err != nil {
			panic(err) // the address is ours
		}
		if f.last != "" {
			r.Header.Set("Last-Event-ID", f.last)
		}
		err = streamed(f.client, r, func(ev sse) bool {
			f.all = append(f.all, ev)
			return f.take(ev)
		})
		if err == nil {
			return
		}
		if f.last != "" {
			f.resumed++
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// A server is killed again and again. Clients that come back with the ID of the last event
// that they have seen see each event once, and the same as one that reads the run later.
func TestKilledServer(t *testing.T) {
	kills, clients := 4, 10
	if text := os.Getenv("ASSAY_TEST_KILLS"); text != "" {
		if _, err := fmt.Sscan(text, &kills); err != nil {
			t.Fatal(err)
		}
		clients = 30
	}
	o := childOptions{Folder: t.TempDir(), AtOnce: 8}
	c := startChild(t, o)
	var url atomic.Value
	url.Store(c.url)
	var killed atomic.Bool // often enough
	var all sync.WaitGroup
	var mu sync.Mutex
	runs := map[string]*follower{}
	for range clients {
		all.Go(func() {
			for !killed.Load() {
				f := &follower{client: many(), url: &url}
				place := f.begin()
				f.follow(place)
				mu.Lock()
				runs[place] = f
				mu.Unlock()
			}
		})
	}
	random := rand.New(rand.NewPCG(3, 4))
	for range kills {
		time.Sleep(time.Duration(100+random.IntN(400)) * time.Millisecond)
		if err := c.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = c.cmd.Wait() // it was killed
		c = startChild(t, o)
		url.Store(c.url)
	}
	killed.Store(true)
	all.Wait()
	defer c.end(t)
	resumed := 0
	for place, f := range runs {
		if err := f.check(); err != nil {
			t.Errorf("%s: %v", place, err)
		}
		if f.resumed > 0 {
			resumed++
		}
		later := &follower{client: f.client, url: &url}
		later.follow(place)
		for i := range max(len(f.all), len(later.all)) {
			if i >= len(f.all) || i >= len(later.all) || f.all[i] != later.all[i] {
				t.Errorf("%s: the client that came back %d times saw\n%.1500v\none that reads later sees\n%.1500v", place, f.resumed, f.all[min(i, len(f.all)):], later.all[min(i, len(later.all)):])
				break
			}
		}
	}
	t.Logf("%d kills, %d runs, %d of them read over a kill", kills, len(runs), resumed)
	if resumed == 0 {
		t.Error("no client was in the middle of a run when the server was killed")
	}
}
