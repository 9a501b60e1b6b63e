package weaviate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/assay/memory/index"
	"example.com/assay/state"
)

func TestNew(t *testing.T) {
	for address, want := range map[string]string{
		"weaviate://a:8080":                            "",
		"weaviate://a:8080,b:8081?shards=3&replicas=2": "",
		"weaviate://a:8080?tls=1":                      "",
		"http://a:8080":                                "it is written",
		"weaviate://":                                  "it is written",
		"weaviate://a":                                 "HOST:PORT",
		"weaviate://a:8080/x":                          "it is written",
		"weaviate://a:8080?replicas=0":                 "replicas=0",
		"weaviate://a:8080?copies=2":                   "copies",
		"weaviate://me:secret@a:8080":                  "it is written",
		"weaviate://a:8080,":                           "HOST:PORT",
		"weaviate://a:8080?shards=3&shards=4":          "one whole number",
	} {
		_, err := New(address, "")
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", address, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: the error shows a password: %v", address, err)
		}
	}
}

// host answers every request with fn, and returns its HOST:PORT.
func host(t *testing.T, fn http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(fn)
	t.Cleanup(s.Close)
	return strings.TrimPrefix(s.URL, "http://")
}

// A call goes on to the next host, from then on first, and does not repeat what a server
// refuses.
func TestCall(t *testing.T) {
	asked := map[string]int{}
	dead := httptest.NewServer(nil)
	dead.Close()
	broken := host(t, func(w http.ResponseWriter, _ *http.Request) {
		asked["broken"]++
		w.WriteHeader(http.StatusInternalServerError)
	})
	well := host(t, func(w http.ResponseWriter, r *http.Request) {
		asked["well"]++
		if got := r.Header.Get("Authorization"); got != "Bearer k" {
			t.Errorf("the key is sent as %q", got)
		}
		fmt.Fprint(w, `{"classes":[{"class":"C"},{"class":"Other"}]}`)
	})
	s, err := New("weaviate://"+strings.TrimPrefix(dead.URL, "http://")+","+broken+","+well, "k")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if list, err := s.Collections(t.Context(), "C"); len(list) != 1 || err != nil {
			t.Fatalf("%v, %v", list, err)
		}
	}
	if asked["broken"] != 1 || asked["well"] != 2 {
		t.Errorf("asked %v", asked)
	}

	refused := 0
	s, err = New("weaviate://"+host(t, func(w http.ResponseWriter, _ *http.Request) {
		refused++
		w.WriteHeader(http.StatusUnauthorized)
	}), "")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Collection("C").Drop(t.Context()); err == nil || !strings.Contains(err.Error(), "does not accept the key") || refused != 1 {
		t.Errorf("refused %d times: %v", refused, err)
	}
}

// A batch of which the server did not take a passage is sent again, and so is one that was
// taken while a node was down.
func TestWriteAgain(t *testing.T) {
	tries, looked := 0, 0
	var body struct{ Objects []map[string]any }
	s, err := New("weaviate://"+host(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v1/schema/C":
			fmt.Fprint(w, `{"shardingConfig":{"actualCount":1},"replicationConfig":{"factor":2}}`)
			return
		case "/v1/nodes/C":
			if looked++; looked == 2 { // a node died after the second try
				fmt.Fprint(w, `{"nodes":[{"status":"HEALTHY","shards":[{}]},{"status":"UNAVAILABLE","shards":null}]}`)
				return
			}
			fmt.Fprint(w, `{"nodes":[{"status":"HEALTHY","shards":[{}]},{"status":"HEALTHY","shards":[{}]}]}`)
			return
		}
		tries++
		data, err := io.ReadAll(r.Body)
		if err == nil {
			err = json.Unmarshal(data, &body)
		}
		if err != nil || r.URL.Query().Get("consistency_level") != "ALL" {
			t.Errorf("%s: %v", r.URL, err)
		}
		if tries == 1 {
			fmt.Fprint(w, `[{"result":{"errors":{"error":[{"message":"a replica is down"}]}}}]`)
			return
		}
		fmt.Fprint(w, `[{"result":{}}]`)
	}), "")
	if err != nil {
		t.Fatal(err)
	}
	r := index.Record{Passage: state.Passage{ID: "a", Doc: "d", Text: "Lamp."}, Terms: []string{"lamp", "lamp"}, Meta: []string{"key\x00value"}}
	if err := s.Collection("C").Write(t.Context(), []index.Record{r}); err != nil || tries != 3 {
		t.Fatalf("%d tries: %v", tries, err)
	}
	properties, _ := body.Objects[0]["properties"].(map[string]any)
	if fmt.Sprint(properties["terms"], " ", properties["meta"]) != "lamp lamp [key\x1fvalue]" {
		t.Errorf("sent %v", properties)
	}
}

// A call ends with its context.
func TestCallCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s, err := New("weaviate://"+host(t, func(w http.ResponseWriter, _ *http.Request) {
		cancel()
		w.WriteHeader(http.StatusServiceUnavailable)
	}), "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Collection("C").Count(ctx); !errors.Is(err, context.Canceled) && ctx.Err() == nil {
		t.Errorf("a cancelled call: %v", err)
	}
}
