package serve_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/clitest"
	"example.com/assay/cmd/agent/internal/evals"
	"example.com/assay/cmd/agent/internal/open"
)

// aBill is a paper with labels, a table and a total.
const aBill = `Lantern Works Ltd
4 Quay Street, Harbourtown HT1 2AB

INVOICE

Invoice no: LW-2041
Date: 3 May 2026
Customer: Mill & Sons

Qty  Description      Amount
 2   Brass lamp        80.00
 1   Wick, 10 m         4.50

Total due: GBP 84.50
Paid by: Ann
`

// drop sends papers and returns the path of their bundle.
func (b *browser) drop(files ...sent) string {
	b.t.Helper()
	status, body, at := b.post("/ui/extract", [][2]string{{"ticket", b.ticket()}}, files...)
	if status != http.StatusOK || !regexp.MustCompile("^/ui/extract/[a-z0-9]{26}$").MatchString(at) {
		b.t.Fatalf("dropping %v: %d at %s\n%s", files, status, at, body)
	}
	return at
}

var proposed = regexp.MustCompile(`(?s)name="take\.(\d+)" value="1" aria-label="[^"]*" checked>\s*<input name="name\.\d+" value="([^"]+)".*?<select[^>]*>(.*?)</select>`)

// proposals are the fields that the page proposes, as a form sends them.
func proposals(page string) url.Values {
	form := url.Values{"by": {"drawn"}}
	for _, m := range proposed.FindAllStringSubmatch(page, -1) {
		kind := regexp.MustCompile(`<option selected>([^<]*)`).FindStringSubmatch(m[3])[1]
		form.Set("take."+m[1], "1")
		form.Set("name."+m[1], strings.ReplaceAll(m[2], "&amp;", "&"))
		form.Set("kind."+m[1], kind)
	}
	return form
}

// readFields has fields read, and returns the page once that has ended.
func (b *browser) readFields(bundle string, form url.Values) string {
	b.t.Helper()
	if status, body, _ := b.load("POST", bundle+"/fields", form); status != http.StatusOK {
		b.t.Fatalf("reading: %d\n%s", status, body)
	}
	for until := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if _, state, _ := b.load("GET", bundle+"/reading", nil); strings.Contains(state, `"busy":false`) {
			_, body, _ := b.load("GET", bundle, nil)
			return body
		}
		if time.Now().After(until) {
			b.t.Fatal("the papers are read for long")
		}
	}
}

// valueOf is the value of a field in a form of the page.
func valueOf(page, field string) string {
	m := regexp.MustCompile(`name="value\.` + regexp.QuoteMeta(field) + `" value="([^"]*)"`).FindStringSubmatch(page)
	if m == nil {
		return "no such field"
	}
	return m[1]
}

// row is what the page says about a field.
func row(page, field string) string {
	_, after, _ := strings.Cut(page, `name="was.`+field+`"`)
	after, _, _ = strings.Cut(after, "</p>")
	return after
}

// A person drops a paper and takes the fields that the page proposes. A value leads to its place. It is
// corrected, also by one that the paper does not have, and taken back; a restart keeps that.
func TestPapers(t *testing.T) {
	home := t.TempDir()
	s := start(t, home)
	b := s.enters(token(t, home))
	if status, body, at := b.load("GET", "/ui/ask?graph=extract", nil); status != 200 || at != "/ui/extract" || !strings.Contains(body, "multipart/form-data") {
		t.Errorf("asking without a schema leads to %s: %d\n%s", at, status, body)
	}
	bundle := b.drop(sent{"bill.txt", aBill}, sent{"note.txt", strings.NewReplacer("LW-2041", "LW-2042", "GBP 84.50", "GBP 12.00").Replace(aBill)}, sent{"photo.png", "\x89PNG\r\n\x1a\n"})
	_, page, _ := b.load("GET", bundle, nil)
	form := proposals(page)
	for _, want := range []string{"Invoice no", "Date", "Customer", "Items / Qty", "Items / Amount", "Total due"} {
		if !strings.Contains(fmt.Sprint(form), "["+want+"]") {
			t.Errorf("%s is not proposed: %v", want, form)
		}
	}
	if !strings.Contains(page, "photo.png</strong>:") || !strings.Contains(page, "LW-2041") {
		t.Errorf("which fields:\n%s", page)
	}
	if status, body, _ := b.load("POST", bundle+"/fields", url.Values{"by": {"drawn"}, "name.0": {"Hull"}}); status != http.StatusUnprocessableEntity || !strings.Contains(body, "no field is ticked") || !strings.Contains(body, `value="Hull"`) {
		t.Errorf("nothing ticked: %d\n%s", status, body)
	}
	form.Set("take.80", "1")
	form.Set("name.80", "Vessel")
	form.Set("must.80", "1")
	form.Set("save", "Harbour bill")
	page = b.readFields(bundle, form)
	for field, want := range map[string]string{"invoice_no": "LW-2041", "date": "2026-05-03", "customer": "Mill &amp; Sons", "total_due": "84.50", "items[1].amount": "4.50", "items[2].amount": "", "vessel": ""} {
		if got := valueOf(page, field); got != want {
			t.Errorf("%s is %q, want %q\n%s", field, got, want, page)
		}
	}
	if !strings.Contains(row(page, "vessel"), `bad">missing`) {
		t.Errorf("the required field: %s", row(page, "vessel"))
	}
	mark := regexp.MustCompile(`href="#(field-\d+-quote-1)"`).FindStringSubmatch(row(page, "total_due"))
	if mark == nil || !regexp.MustCompile(`<mark id="`+mark[1]+`"[^>]*>(GBP )?84.50</mark>`).MatchString(page) {
		t.Errorf("the place of the total: %v\n%s", mark, page)
	}
	if !strings.Contains(page, `LW-2042</a>`) || !strings.Contains(page, "bill.txt and 1 more") {
		t.Errorf("the table of both:\n%s", page)
	}
	if _, past, _ := b.load("GET", "/ui/", nil); strings.Contains(past, "bill.txt") {
		t.Errorf("papers are among the past conversations:\n%s", past)
	}

	correct := func(field, was, is string) string {
		t.Helper()
		status, body, _ := b.load("POST", bundle+"/correct", url.Values{"paper": {"1"}, "value." + field: {is}, "was." + field: {was}, "value.date": {"2026-05-03"}, "was.date": {"2026-05-03"}})
		if status != http.StatusOK {
			t.Errorf("correcting: %d\n%s", status, body)
		}
		return body
	}
	if now := row(correct("customer", "Mill & Sons", "Ann"), "customer"); !strings.Contains(now, "corrected") || !strings.Contains(now, "Mill &amp; Sons") || !strings.Contains(now, `href="#field-`) {
		t.Errorf("a value that the paper has: %s", now)
	}
	if now := row(correct("invoice_no", "LW-2041", "=1+1"), "invoice_no"); !strings.Contains(now, "the paper does not hold this") || strings.Contains(now, "href=") {
		t.Errorf("a value that the paper does not have: %s", now)
	}
	if now := row(correct("items[2].amount", "", "7"), "items[2].amount"); !strings.Contains(now, "corrected") || !strings.Contains(now, "nothing") {
		t.Errorf("a further element: %s", now)
	}
	if now := row(correct("vessel", "", "Heron"), "vessel"); strings.Contains(now, "missing") {
		t.Errorf("a missing one: %s", now)
	}
	correct("total_due", "84.50", "84.51")
	_, page, _ = b.load("POST", bundle+"/correct", url.Values{"paper": {"1"}, "back": {"total_due"}})
	if now := row(page, "total_due"); strings.Contains(now, "corrected") || valueOf(page, "total_due") != "84.50" {
		t.Errorf("taken back: %s", now)
	}
	for _, wrong := range []url.Values{{"paper": {"3"}}, {"paper": {"0"}}, {"paper": {"x"}}} {
		if status, _, _ := b.load("POST", bundle+"/correct", wrong); status != http.StatusNotFound {
			t.Errorf("%v: %d", wrong, status)
		}
	}
	if page = correct("nothing", "a", "b"); strings.Contains(page, "value.nothing") {
		t.Error("a field that is none was taken")
	}

	// Fields that are chosen anew leave out corrections of others, and keep those of the same.
	again := b.drop(sent{"one.md", aBill})
	b.readFields(again, url.Values{"named": {"invoice"}})
	b.load("POST", again+"/correct", url.Values{"paper": {"1"}, "value.customer": {"Ann"}, "was.customer": {"Mill & Sons"}, "value.supplier": {"Ann"}, "was.supplier": {""}})
	if page := b.readFields(again, url.Values{"by": {"drawn"}, "take.0": {"1"}, "name.0": {"Customer"}}); valueOf(page, "customer") != "Ann" || !strings.Contains(page, ">1 corrected<") {
		t.Errorf("with other fields:\n%s", page)
	}
	emails := url.Values{"by": {"schema"}, "schema": {`{"type":"object","required":["mails"],"properties":{"mails":{"type":"array","items":{"type":"string","format":"email"}}}}`}}
	if page := b.readFields(again, emails); !strings.Contains(page, "Customer: Mill &amp; Sons") || !strings.Contains(page, `Mails <span class="badge bad">missing`) {
		t.Errorf("a paper without a mark:\n%s", page)
	}
	if status, _, _ := b.load("GET", again+"/values?as=pdf&paper=1", nil); status != http.StatusNotFound {
		t.Errorf("the PDF of a text: %d", status)
	}

	s.stop()
	if err := os.RemoveAll(filepath.Join(home, "threads.db")); err != nil { // the runs are not needed any more
		t.Fatal(err)
	}
	s = start(t, home)
	b = s.enters(token(t, home))
	_, page, _ = b.load("GET", bundle, nil)
	if valueOf(page, "customer") != "Ann" || valueOf(page, "items[2].amount") != "7" || !strings.Contains(page, "4 corrected") {
		t.Errorf("after a restart:\n%s", page)
	}
	_, data, _ := b.load("GET", bundle+"/values?as=csv", nil)
	rows, err := csv.NewReader(strings.NewReader(data)).ReadAll()
	if err != nil || len(rows) != 3 {
		t.Fatalf("%v: %s", err, data)
	}
	got := map[string]string{}
	for i, head := range rows[0] {
		got[head] = rows[1][i]
	}
	if got["document"] != "bill.txt" || got["customer"] != "Ann" || got["invoice_no"] != "'=1+1" || got["items[].amount"] != "80.00 | 4.50 | 7" || got["corrected"] != "customer; invoice_no; items[2].amount; vessel" {
		t.Errorf("%v", got)
	}
	_, data, _ = b.load("GET", bundle+"/values?as=json", nil)
	var out struct {
		Documents []struct {
			Document  string
			Result    map[string]any
			Corrected map[string]struct{ Value, Was string }
		}
	}
	if err := json.Unmarshal([]byte(data), &out); err != nil || out.Documents[0].Result["vessel"] != "Heron" || out.Documents[0].Corrected["customer"].Was != "Mill & Sons" || len(out.Documents[1].Corrected) != 0 {
		t.Errorf("%v: %s", err, data)
	}
	if _, page, _ := b.load("GET", b.drop(sent{"a.txt", aBill})+"/fields", nil); !strings.Contains(page, `value="Harbour bill"`) || !strings.Contains(page, `value="invoice"`) {
		t.Errorf("the saved fields are not offered:\n%s", page)
	}
	if _, page, at := b.load("POST", bundle+"/remove", url.Values{}); at != "/ui/extract" || strings.Contains(page, bundle) {
		t.Errorf("removed, it leads to %s\n%s", at, page)
	}
	if status, _, _ := b.load("GET", bundle, nil); status != http.StatusNotFound {
		t.Errorf("what was removed: %d", status)
	}
}

// unpack unpacks an archive and returns its folder.
func unpack(t *testing.T, data string) string {
	t.Helper()
	z, err := zip.NewReader(strings.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatalf("%v: %.200s", err, data)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, z); err != nil {
		t.Fatal(err)
	}
	return dir
}

// A corrected paper is a case that agent eval cases takes as it is: red while the value is read otherwise,
// and green as long as it is right.
func TestPaperAsCase(t *testing.T) {
	home := t.TempDir()
	s := start(t, home)
	b := s.enters(token(t, home))
	boxes := `{"id": 1, "ocr_lines": [{"text": "Lantern Works Ltd", "box": [0, 0, 90, 10]}, {"text": "Total:", "box": [0, 20, 30, 30]}, {"text": "84.50", "box": [60, 20, 90, 30]}]}` + "\n"
	for name, text := range map[string]string{"bill.md": aBill, "scan.jsonl": boxes} {
		bundle := b.drop(sent{name, text})
		page := b.readFields(bundle, url.Values{"by": {"drawn"}, "take.0": {"1"}, "name.0": {"Total"}, "kind.0": {"money"}})
		if valueOf(page, "total") != "84.50" {
			t.Fatalf("%s:\n%s", name, page)
		}
		for _, c := range []struct {
			value string
			code  int
		}{{"84.50", cli.ExitDone}, {"85.40", cli.ExitFailed}} {
			b.load("POST", bundle+"/correct", url.Values{"paper": {"1"}, "value.total": {c.value}, "was.total": {"84.50"}})
			_, data, _ := b.load("GET", bundle+"/values?as=case&paper=1", nil)
			var stdout, stderr bytes.Buffer
			a := cli.New(strings.NewReader(""), &stdout, &stderr, []string{cli.EnvHome + "=" + t.TempDir()})
			a.Models = open.Local()
			if code := clitest.Run(t.Context(), a, []string{"eval", "cases", unpack(t, data)}, evals.Command(a)); code != c.code {
				t.Errorf("%s with %s: code %d\n%s%s", name, c.value, code, &stdout, &stderr)
			}
		}
	}
}

// Papers are of one tenant, and none may read those of another. Hostile names, files and schemas harm
// nothing, and a form without its ticket does nothing.
func TestHostilePapers(t *testing.T) {
	home := t.TempDir()
	list := filepath.Join(home, "tenants.yaml")
	if err := os.WriteFile(list, []byte("- name: ann\n  token: "+strings.Repeat("a", 40)+"\n- name: bob\n  token: "+strings.Repeat("b", 40)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := start(t, home, "--tenants", list)
	ann, bob := s.enters(strings.Repeat("a", 40)), s.enters(strings.Repeat("b", 40))
	bundle := ann.drop(sent{"bill.txt", aBill})
	page := ann.readFields(bundle, url.Values{"named": {"invoice"}})
	if valueOf(page, "invoice_number") != "LW-2041" || strings.Contains(page, home) {
		t.Errorf("ann's paper:\n%s", page)
	}
	for _, path := range []string{"", "/fields", "/reading", "/values?as=csv", "/values?as=case", "?paper=1"} {
		if status, body, _ := bob.load("GET", bundle+path, nil); status != http.StatusNotFound {
			t.Errorf("bob sees %s: %d\n%s", path, status, body)
		}
	}
	for _, path := range []string{"/fields", "/correct", "/remove"} {
		if status, _, _ := bob.load("POST", bundle+path, url.Values{"named": {"invoice"}, "paper": {"1"}}); status != http.StatusNotFound {
			t.Errorf("bob posts to %s: %d", path, status)
		}
		if status, _, _ := ann.post(bundle+path, [][2]string{{"ticket", "forged"}}); status != http.StatusForbidden {
			t.Errorf("a form of another page posts to %s: %d", path, status)
		}
	}
	if status, _, _ := ann.post("/ui/extract", [][2]string{{"ticket", "forged"}}, sent{"a.txt", aBill}); status != http.StatusForbidden {
		t.Errorf("a form of another page: %d", status)
	}
	if status, page, _ := bob.load("GET", "/ui/extract", nil); status != http.StatusOK || strings.Contains(page, "bill.txt") {
		t.Errorf("bob's list: %d\n%s", status, page)
	}

	var bomb bytes.Buffer
	packed := gzip.NewWriter(&bomb)
	if _, err := io.Copy(packed, io.LimitReader(zeros{}, 300<<20)); err != nil || packed.Close() != nil {
		t.Fatal(err)
	}
	before := paperFiles(t, home)
	for what, file := range map[string]sent{"bomb": {"bomb.txt.gz", bomb.String()}, "empty": {"a.txt", ""}, "blank": {"a.txt", " \n"}, "picture": {"a.png", "\x89PNG\r\n\x1a\n"}, "broken": {"a.pdf", "no PDF"}, "long": {"a.txt", strings.Repeat("ten bytes\n", 500_000)}} {
		if status, body, _ := ann.post("/ui/extract", [][2]string{{"ticket", ann.ticket()}}, file); status != http.StatusUnprocessableEntity || !strings.Contains(body, "Nothing was kept") || strings.Contains(body, home) {
			t.Errorf("a paper that is %s: %d\n%s", what, status, body)
		}
	}
	if status, body, _ := ann.post("/ui/extract", [][2]string{{"ticket", ann.ticket()}}); status != http.StatusUnprocessableEntity || !strings.Contains(body, "nothing was chosen") {
		t.Errorf("no paper: %d\n%s", status, body)
	}
	if status, _, _ := ann.post("/ui/extract", [][2]string{{"ticket", ann.ticket()}}, sent{"a.txt", strings.Repeat("a", 70<<20)}); status != http.StatusRequestEntityTooLarge {
		t.Errorf("a form of 70 MiB: %d", status)
	}
	if after := paperFiles(t, home); after != before {
		t.Errorf("refused papers are kept: %s\n%s", before, after)
	}
	for _, name := range []string{"../../../up.txt", "/etc/passwd", `..\..\x.txt`, "<img src=x onerror=alert(1)>.txt", "a\u202egnp.txt", strings.Repeat("ä", 400) + ".txt", "..", "x.t/../y"} {
		at := ann.drop(sent{name, aBill})
		if _, page, _ := ann.load("GET", at, nil); strings.Contains(page, "<img") || strings.Contains(page, "\u202e") {
			t.Errorf("%q:\n%s", name, page)
		}
	}
	err := filepath.WalkDir(home, func(path string, _ os.DirEntry, err error) error {
		if base := filepath.Base(path); strings.Contains(base, "up.txt") || strings.Contains(base, "<img") || base == "passwd" {
			t.Errorf("%s was written", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	for what, schema := range map[string]string{
		"no JSON": "{", "a list": "[]", "no fields": `{"type":"object"}`, "another file": `{"type":"object","properties":{"a":{"$ref":"file:///etc/passwd"}}}`, "itself": `{"type":"object","properties":{"a":{"$ref":"#"}}}`,
		"a bad pattern": `{"type":"object","properties":{"a":{"type":"string","pattern":"("}}}`, "deep": strings.Repeat(`{"type":"object","properties":{"a":`, 5000) + "1" + strings.Repeat("}}", 5000),
		"long": `{"type":"object","properties":{"a":{"type":"string","description":"` + strings.Repeat("x", 1<<20) + `"}}}`,
	} {
		if status, body, _ := ann.load("POST", bundle+"/fields", url.Values{"by": {"schema"}, "schema": {schema}}); status != http.StatusUnprocessableEntity || !strings.Contains(body, "Nothing was read") {
			t.Errorf("a schema that is %s: %d\n%.2000s", what, status, body)
		}
	}
	page = ann.readFields(bundle, url.Values{"by": {"schema"}, "schema": {`{"type":"object","properties":{"=<b>x\"":{"type":"string","title":"<script>alert(1)</script>"}}}`}})
	if strings.Contains(page, "<script>alert") || strings.Contains(page, "=<b>") {
		t.Errorf("hostile names of fields:\n%s", page)
	}
	for _, path := range []string{"/ui/extract/..%2f..%2fx", "/ui/extract/" + strings.Repeat("a", 26), bundle + "?paper=7", bundle + "/values?as=exe"} {
		if status, _, _ := ann.load("GET", path, nil); status != http.StatusNotFound {
			t.Errorf("%s: %d", path, status)
		}
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// paperFiles lists the files of ann's papers.
func paperFiles(t *testing.T, home string) (out string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(home, "tenants", "ann", "papers"), func(path string, _ os.DirEntry, err error) error {
		out += filepath.Base(path) + " "
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
