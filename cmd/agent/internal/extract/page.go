package extract

import (
	"bytes"
	"context"
	"fmt"
	"html/template"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/nodes/extract"
	"example.com/assay/serve/page/evidence"
	"example.com/assay/serve/page/look"
	"example.com/assay/state/proof"
)

var fieldPage = look.Parse(nil, `{{define "body"}}{{range .Documents}}<section id="{{.ID}}" aria-labelledby="{{.ID}}-name">
<h2 id="{{.ID}}-name" dir="auto">{{.Name}}</h2>
{{.Evidence}}
</section>
{{end}}{{end}}`)

type shownDocument struct {
	ID, Name string
	Evidence template.HTML
}

// writeFieldPage writes a page that shows the fields of each document beside it, with their
// places marked.
func writeFieldPage(ctx context.Context, path string, docs []extract.Document, answers []extract.Answer) error {
	p := struct {
		Frame     look.Frame
		Documents []shownDocument
	}{Frame: look.Frame{Title: "Fields of " + cli.Count(len(answers), "document"), Eyebrow: "Assay · extract", Full: true, Foot: "Written by agent extract. This page needs no network and no script."}}
	p.Frame.Heading = p.Frame.Title
	for i, answer := range answers {
		one := shownDocument{ID: fmt.Sprintf("part-%d", i+1), Name: answer.Document}
		var err error
		read := func(context.Context, proof.Document) (proof.Content, error) {
			return extract.Content(docs[i].FieldDocument), nil
		}
		if one.Evidence, err = evidence.Section(ctx, answer.Proof(), read, &evidence.Options{Prefix: one.ID, Of: one.ID + "-name", Level: 3}); err != nil {
			return fmt.Errorf("writing --html: %w", err)
		}
		p.Documents = append(p.Documents, one)
		if len(answers) > 1 {
			p.Frame.Parts = append(p.Frame.Parts, look.Link{Text: one.Name, Href: "#" + one.ID})
		}
	}
	var b bytes.Buffer
	if err := look.Write(&b, fieldPage, p); err != nil {
		return fmt.Errorf("writing --html: %w", err)
	}
	if err := cli.WriteFile(path, b.Bytes(), 0o644); err != nil {
		return cli.Usagef("writing --html: %w", err)
	}
	return nil
}
