package document

import (
	"encoding/base64"
	"strings"
	"testing"
)

// Earlier mails are quoted blocks, whoever wrote them and however programs mark them.
func TestMails(t *testing.T) {
	const head = "From: a@example.org\nDate: Mon, 02 Mar 2026 10:00:00 +0100\n"
	const fields = "field (From): From=a@example.org\nfield (Date): Date=Mon, 02 Mar 2026 10:00:00 +0100\n"
	html := func(s string) string { return "Content-Type: text/html\n\n" + s }
	alternatives := func(plain, page string) string {
		return "Content-Type: multipart/alternative; boundary=B\n\n--B\nContent-Type: text/plain\n\n" + plain + "\n--B\nContent-Type: multipart/related; boundary=C\n\n--C\nContent-Type: text/html\n\n" + page + "\n--C--\n--B--\n"
	}
	for _, c := range []struct{ name, body, want, text string }{
		{"quoted with a sign", "\nThe price is 5 euros.\n\nOn 27 Feb somebody wrote:\n> Old.\n> Older.\n\nBye.", "quoted (On 27 Feb somebody wrote:): On 27 Feb somebody wrote:\n> Old.\n> Older.", "Bye."},
		{"in any language, over two lines", "\nNeu.\n\nDen 27. februar 2026 kl. 10 skrev\nOla Nord <o@example.org>:\n> Alt.", "quoted (Den 27. februar 2026 kl. 10 skrev Ola Nord <o@example.org>:): Den 27. februar 2026 kl. 10 skrev\nOla Nord <o@example.org>:\n> Alt.", ""},
		{"answers between the lines", "\n> Who comes?\nInes.\n> When?\nAt six.", "quoted: > Who comes?\nquoted: > When?", "Ines."},
		{"one inside another", "\nNew.\n\nOn Wed, 7 Oct 2026, E wrote:\n> Old.\n>\n> On Mon, 5 Oct 2026, R wrote:\n>> Oldest.", "quoted (On Wed, 7 Oct 2026, E wrote:): On Wed, 7 Oct 2026, E wrote:\n> Old.\n>\nquoted (On Mon, 5 Oct 2026, R wrote:): > On Mon, 5 Oct 2026, R wrote:\n>> Oldest.", ""},
		{"below a head", "\nNeu.\n\n________________________________\nVon: Anna Maier\nGesendet: Montag, 2. März 2026 10:00\nAn: Otto\nBetreff: Miete\n\nAlt.\n\nUnd mehr.", "", "Neu."},
		{"a list of fields is no mail", "\nFrom: the hall\nTo: the yard\nKeys: Ines", "field (From): From=the hall\nfield (To): To=the yard\nfield (Keys): Keys=Ines", ""},
		{"a page", html("<p>New price.<div>On 27 Feb 2026 E wrote:<br></div><blockquote><p>Old price.</blockquote><p>Bye."), "quoted (On 27 Feb 2026 E wrote:): On 27 Feb 2026 E wrote:\nquoted (On 27 Feb 2026 E wrote:): Old price.", "Bye."},
		{"a page with a head", html("<p>New price.<hr><p>From: Anna<br>Sent: Monday, March 2, 2026 10:00 AM<br>To: Otto<br>Subject: Rent<p>Old price.<p>Older."),
			"quoted (From: Anna Sent: Monday, March 2, 2026 10:00 AM To: Otto Subject: Rent): From: Anna\nSent: Monday, March 2, 2026 10:00 AM\nTo: Otto\nSubject: Rent\nquoted (From: Anna Sent: Monday, March 2, 2026 10:00 AM To: Otto Subject: Rent): Old price.\nquoted (From: Anna Sent: Monday, March 2, 2026 10:00 AM To: Otto Subject: Rent): Older.", "New price."},
		{"a stub", alternatives("View this message in your browser.", "<p>The pool reopens on 14 July at 10:00."), "", "The pool reopens on 14 July at 10:00."},
		{"a plain text that says the same", alternatives("The pool reopens on 14 July.\n\n[1] http://x", "<p>The <b>pool</b> reopens on 14 July."), "", "[1] http://x"},
	} {
		d := mustRead(t, "a.eml", head+c.body, nil)
		if c.name == "below a head" {
			if got := typed(t, d); !strings.Contains(got, "quoted (Von: Anna Maier Gesendet:") || !strings.Contains(got, "Alt.\n\nUnd mehr.") || strings.Contains(got, "Neu.") {
				t.Errorf("%s\n got %s", c.name, got)
			}
			continue
		}
		if got := typed(t, d); got != strings.TrimSpace(fields+c.want) {
			t.Errorf("%s\n got %s\nwant %s", c.name, got, fields+c.want)
		}
		if !strings.Contains(d.Text, c.text) || d.Metadata["date"] != "2026-03-02 10:00" {
			t.Errorf("%s: %q, %v", c.name, d.Text, d.Metadata)
		}
	}
	quoted := check(t, mustRead(t, "a.eml", head+"\nNew.\n\nOn 27 Feb 2026 somebody wrote:\n> Old.", nil), nil)
	if last := quoted[len(quoted)-1]; last.Metadata["date"] != "2026-02-27" {
		t.Errorf("an earlier mail has the date %q", last.Metadata["date"])
	}
}

// What is attached is read by the reader of its format, and stands under its name.
func TestAttachments(t *testing.T) {
	part := func(name, raw string) string {
		return "--B\nContent-Type: application/octet-stream\nContent-Disposition: attachment; filename=\"" + name + "\"\nContent-Transfer-Encoding: base64\n\n" + base64.StdEncoding.EncodeToString([]byte(raw)) + "\n"
	}
	inner := "From: b@example.org\n\nInner.\n"
	for range 5 {
		inner = "Content-Type: multipart/mixed; boundary=B\n\n" + part("x.eml", inner) + "--B--\n"
	}
	d := mustRead(t, "a.eml", "From: a@example.org\nContent-Type: multipart/mixed; boundary=B\n\n--B\n\nSee below.\n"+part("Preise.csv", "Artikel;Preis\nTisch;149,90\n")+
		part("a.md", "# Rules\n\nNo dogs.")+part("logo.png", "\x89PNG")+part("bad.docx", "no zip")+part("deep.eml", inner)+"--B--\n", nil)
	var got []string
	for _, p := range check(t, d, nil) {
		got = append(got, p.Section+": "+strings.ReplaceAll(p.Text, "\n", "/"))
	}
	want := ": From: a@example.org//See below.|: Attachment: Preise.csv|Preise.csv: Artikel; Preis//Tisch; Preis: 149,90|: Attachment: a.md|a.md > Rules: No dogs.|: Attachment: logo.png|: Attachment: bad.docx|: Attachment: deep.eml|deep.eml: Attachment: x.eml|deep.eml > x.eml: Attachment: x.eml"
	if s := strings.Join(got, "|"); s != want || d.LostRecords != 1 {
		t.Errorf("%d lost\n got %s\nwant %s", d.LostRecords, s, want)
	}
}
