package cassette

import (
	"encoding/json"
	"regexp"
	"strings"

	"example.com/assay/internal/plainjson"
)

// minSecret is the length from which a text is taken for a secret.
const minSecret = 8

// cut stands where a secret was.
const cut = "[key]"

// A scrubber cuts secrets out of a recording. It changes the recording in
// place; its key is a hash and stays, being that of what will be asked again.
type scrubber struct{ secrets []string }

func (s scrubber) recording(rec *recording) {
	for i := range rec.Request.Messages {
		m := &rec.Request.Messages[i]
		s.all(&m.Text)
		s.calls(m.Calls)
		for j := range m.Results {
			s.all(&m.Results[j].Text)
		}
	}
	if set := string(rec.Request.Sampling); set != "" { // a stop text may be a secret
		s.all(&set)
		rec.Request.Sampling = json.RawMessage(set)
	}
	for i := range rec.Chunks {
		s.all(&rec.Chunks[i].Text)
	}
	s.all(&rec.Response.Text, &rec.Response.Model)
	s.calls(rec.Response.Calls)
	if o := rec.Outside; o != nil {
		s.all(&o.Params, &o.Result)
	}
	s.all(&rec.Fallback)
	rec.Fallback = keyless(rec.Fallback)
	if f := rec.Error; f != nil {
		said := []*string{&f.Text, &f.Inner, &f.Provider, &f.Model, &f.Message, &f.Code, &f.Param, &f.Reason, &f.What}
		s.all(said...)
		for _, text := range said {
			*text = keyless(*text)
		}
	}
}

func (s scrubber) calls(calls []toolCall) {
	for i := range calls {
		s.all(&calls[i].Arguments)
	}
}

// all cuts the known secrets out of texts, also as JSON writes them.
func (s scrubber) all(texts ...*string) {
	for _, secret := range s.secrets {
		plain, _ := plainjson.Encode(secret) // a text can always be encoded
		escaped, _ := json.Marshal(secret)
		for _, form := range []string{secret, unquoted(plain), unquoted(escaped)} {
			for _, text := range texts {
				*text = strings.ReplaceAll(*text, form, cut)
			}
		}
	}
}

// unquoted is a JSON string as it stands between its quotes.
func unquoted(data []byte) string { return string(data[1 : len(data)-1]) }

// The forms in which keys appear in errors of HTTP: credentials of an
// address, the values of fields that are named so, authorisation headers, and
// the prefixes by which providers mark their keys.
var (
	credentials = regexp.MustCompile(`://[^/\s@"']+@`)
	authorised  = regexp.MustCompile(`(?i)\b(bearer|basic)\s+[\w.~+/=-]{8,}`)
	named       = regexp.MustCompile(`(?i)((?:key|token|secret|password|authorization|signature|sig)["']?\s*[=:]\s*["']?)(?:bearer\s+|basic\s+)?[^\s"'&,;(){}]+`)
	prefixed    = regexp.MustCompile(`\b(?:sk-|pk-|rk-|xai-|gsk_|hf_|AIza|ya29\.|eyJ)[\w.-]{8,}`)
)

// keyless cuts what looks like a key out of an error's text.
func keyless(text string) string {
	text = credentials.ReplaceAllString(text, "://"+cut+"@")
	text = named.ReplaceAllString(text, "${1}"+cut)
	text = authorised.ReplaceAllString(text, "${1} "+cut)
	return prefixed.ReplaceAllString(text, cut)
}
