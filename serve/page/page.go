package page

import (
	"cmp"
	"context"
	"encoding/json"
	"mime/multipart"
	"net/http"
	"strconv"
	"strings"
	"time"

	"example.com/assay/graph"
	"example.com/assay/serve/internal/refusal"
	"example.com/assay/serve/runs"
	"example.com/assay/state/proof"
)

// Options configure the pages.
type Options struct {
	// Authenticate says who sends a request. A person who enters a token is asked about with
	// "Authorization: Bearer …", at each request of the session. The status of its error is that of
	// package refusal.
	Authenticate func(*http.Request) (runs.Caller, error)
	// Key seals sessions: 32 bytes, the same in all processes that serve them. Default: a random key
	// for this process.
	Key []byte
	// Links are links that sign in once. Default: none.
	Links *Links
	// TokenFile is the file with the token, which the sign-in page names. Default: it names none.
	TokenFile string
	// HowToEnter says on the sign-in page how to come to a token. Default: the server says it when it
	// starts.
	HowToEnter string
	// Admit wraps the handling of a caller's request, for example to log the caller and limit the
	// body. Default: no wrapping.
	Admit func(c runs.Caller, next http.Handler) http.Handler
	// Space returns a caller's space.
	Space func(runs.Caller) *runs.Space
	// Write lets pages change the past: edit states, fork threads, run again with another prompt,
	// forget. Asking, answering and stopping runs needs no permission.
	Write bool
	// HowToWrite is what pages say when Write is not set. Default: this server changes nothing that
	// has happened.
	HowToWrite string

	// Proof returns the answer in a run's state with its evidence, and a reader for its documents;
	// nil for a state without a known answer. Default: states are shown.
	Proof func(ctx context.Context, tenant string, r runs.Run, state json.RawMessage) (*proof.Proof, proof.Documents, error)
	// Skills returns the prompts of a graph that a run may replace with its setting "skill".
	// Default: none.
	Skills func(graph string) []Skill
	// Usual is the graph for questions until another is chosen. Default: the first.
	Usual string
	// Examples returns questions that a corpus may answer, and a note on the corpus for a person who
	// chooses it, each empty for none. It must be quick. Default: none.
	Examples func(ctx context.Context, tenant, corpus string) (questions []string, note string)
	// Corpora, Memory and Evals provide further pages. Default: no such pages.
	Corpora Corpora
	// Uploads take files into corpora. Default: no file is taken, and the page says HowToUpload.
	Uploads     Uploads
	HowToUpload string
	// Checker is the graph that checks a text which a person gives. Default: no such page.
	Checker string
	// Papers keep papers from which fields are read, by the graph Extractor. Default: no such page.
	Papers    Papers
	Extractor string
	Memory    Memory
	Evals     Evals

	Version string           // of the program
	Now     func() time.Time // default: time.Now
	// Heartbeat is how often a silent stream sends a comment. Default: 5 seconds.
	Heartbeat time.Duration
}

type handler struct {
	Options
	sessions sessions
	mux      *http.ServeMux
}

// A visit is one request of a tenant.
type visit struct {
	*handler
	*runs.Space
	w      http.ResponseWriter
	r      *http.Request
	tenant string
	ticket string            // the token in this browser's forms
	form   *multipart.Reader // the rest of a form with files; nil for another request
	tried  question          // whose answer could not be taken, with what was typed; empty for none
}

// Handler returns the handler for all paths under /ui/.
func Handler(o Options) http.Handler {
	o.Heartbeat = cmp.Or(o.Heartbeat, 5*time.Second)
	o.HowToWrite = cmp.Or(o.HowToWrite, "This server changes nothing that has happened.")
	o.HowToUpload = cmp.Or(o.HowToUpload, "This server takes no files.")
	o.HowToEnter = cmp.Or(o.HowToEnter, "The server says where its token is when it starts.")
	o.Links = cmp.Or(o.Links, &Links{})
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Admit == nil {
		o.Admit = func(_ runs.Caller, next http.Handler) http.Handler { return next }
	}
	h := &handler{Options: o, sessions: newSessions(&o), mux: http.NewServeMux()}
	h.mux.HandleFunc("GET "+root+"static/{file}", h.static)
	h.mux.HandleFunc("GET "+root+"enter", h.enter)
	h.mux.HandleFunc("POST "+root+"enter", h.enter)
	for pattern, serve := range routes {
		method, path, _ := strings.Cut(pattern, " ")
		h.mux.Handle(method+" "+root+path, h.visited(serve))
	}
	return h
}

// routes are the pages that need a session, below root.
var routes = map[string]func(*visit) error{
	"GET {$}":          (*visit).ask,
	"GET ask":          (*visit).ask,
	"GET ask/{thread}": (*visit).ask,
	"POST ask":         (*visit).begin,

	"GET keys":   (*visit).keys,
	"POST leave": (*visit).leave,

	"GET runs":              (*visit).list,
	"GET runs/{run}":        (*visit).run,
	"GET runs/{run}/events": (*visit).events,
	"GET runs/{run}/{part}": (*visit).part,
	"GET runs/{run}/file":   (*visit).file,
	"GET compare":           (*visit).compare,
	"POST runs/{run}/stop":  (*visit).stop,

	"GET threads/{thread}":         (*visit).thread,
	"POST threads/{thread}/answer": (*visit).answerQuestion,
	"POST threads/{thread}/edit":   changing((*visit).editState),
	"POST threads/{thread}/go-on":  changing((*visit).goOn),

	"GET check":            (*visit).check,
	"POST check":           (*visit).beginCheck,
	"GET check/{run}":      (*visit).checked,
	"GET check/{run}/text": (*visit).export,

	"GET extract":                   (*visit).extract,
	"POST extract":                  (*visit).addPapers,
	"GET extract/{bundle}":          (*visit).papers,
	"GET extract/{bundle}/reading":  (*visit).papersRead,
	"GET extract/{bundle}/fields":   (*visit).fields,
	"POST extract/{bundle}/fields":  (*visit).read,
	"POST extract/{bundle}/correct": (*visit).correct,
	"GET extract/{bundle}/values":   (*visit).values,
	"POST extract/{bundle}/remove":  (*visit).removePapers,

	"GET corpora":                      (*visit).corpora,
	"POST corpora":                     (*visit).upload,
	"GET corpora/{corpus}/reading":     (*visit).reading,
	"GET corpora/{corpus}/remove":      (*visit).removal,
	"POST corpora/{corpus}/remove":     (*visit).remove,
	"GET corpora/{corpus}":             (*visit).corpus,
	"GET corpora/{corpus}/document":    (*visit).document,
	"GET corpora/{corpus}/original":    (*visit).original,
	"GET memory":                       (*visit).memories,
	"GET memory/{corpus}/{id}":         (*visit).remembered,
	"POST memory/{corpus}/{id}/forget": changing((*visit).forget),
	"GET evals":                        (*visit).results,
	"GET evals/{id}":                   (*visit).report,
	"GET {rest...}":                    (*visit).missing,
}

// root is the path of all pages.
const root = "/ui/"

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for name, value := range headers {
		w.Header().Set(name, value)
	}
	h.mux.ServeHTTP(w, r)
}

// headers are sent with every answer. They forbid loading from elsewhere, inline scripts and
// frames, and hide the page's address from other sites. Without any referrer, forms would have no
// origin and the server would refuse them.
var headers = map[string]string{
	"Content-Security-Policy":      "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
	"Referrer-Policy":              "same-origin",
	"X-Content-Type-Options":       "nosniff",
	"X-Frame-Options":              "DENY",
	"Cache-Control":                "no-store",
}

// visited serves a page to a tenant. A POST must come from a form of this server, or carry the
// token in its header, which no browser adds by itself.
func (h *handler) visited(serve func(*visit) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, ticket, err := h.caller(r)
		if err != nil {
			h.turnAway(w, r, err)
			return
		}
		h.Admit(c, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			v := &visit{handler: h, Space: h.Space(c), w: w, r: r, tenant: c.Tenant, ticket: ticket}
			scope, err := runs.ScopeRead, h.closed(r.URL.Path)
			if r.Method == http.MethodPost {
				scope = runs.ScopeWrite
				if ticket != "" && err == nil {
					err = v.checkTicket()
				}
			}
			if err == nil && !c.May(scope) {
				err = refusal.New(http.StatusForbidden, "this needs the scope %q, and you have %q", scope, c.Scopes)
			}
			if err == nil {
				err = serve(v)
			}
			if err != nil && r.Context().Err() == nil {
				v.fail(err)
			}
		})).ServeHTTP(w, r)
	})
}

// changing is a page that is served only if Options.Write is set.
func changing(serve func(*visit) error) func(*visit) error {
	return func(v *visit) error {
		if !v.Write {
			return refusal.New(http.StatusForbidden, "%s", v.HowToWrite)
		}
		return serve(v)
	}
}

// to redirects the browser to another page after a form.
func (v *visit) to(path string) error {
	http.Redirect(v.w, v.r, path, http.StatusSeeOther)
	return nil
}

// number reads a non-negative number from the query.
func (v *visit) number(name string, otherwise int) (int, error) {
	text := v.r.URL.Query().Get(name)
	if text == "" {
		return otherwise, nil
	}
	return natural(name, text)
}

func natural(name, text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, refusal.New(http.StatusBadRequest, "%s is %.40q: it must be a number from 0", name, text)
	}
	return n, nil
}

func (v *visit) missing() error {
	return refusal.New(http.StatusNotFound, "there is no page %.100q", v.r.URL.Path)
}

// Modes are the events that the log needs of every run, also inside subgraphs, for the pages to
// show it. States are not among them: the pages read checkpoints.
const Modes = graph.Tasks | graph.Custom
