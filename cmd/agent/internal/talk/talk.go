// Package talk answers lines that are not questions about the documents: a greeting, thanks, or the
// question what the program can do or which documents it has.
//
//	words, ok := talk.Reply("which documents do you have?", corpus)
//
// The whole line must be of that kind: "hello, when does the shop close?" is a question.
package talk

import (
	"fmt"
	"strings"
	"unicode"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/memory"
	"example.com/assay/memory/text/pattern"
)

// A Library lists its documents. *memory.Corpus is one.
type Library interface {
	Name() string
	Info() memory.CorpusInfo
	Describe() []memory.SourceInfo
}

// A kind is a kind of line.
type kind int

const (
	question kind = iota
	greeting
	thanks
	parting
	capability
	documents
)

// forms match whole lines, in lower case and without punctuation.
var forms = []struct {
	kind kind
	form *pattern.Pattern
}{
	{greeting, whole(`(?:hi|hiya|hello|hey|howdy|greetings|good (?:morning|afternoon|evening|day)|hallo|moin|servus|grüezi|guten (?:tag|morgen|abend)|grüß (?:gott|dich|sie)|bonjour|bonsoir|salut|coucou|hola|buenos días|buenas(?: tardes| noches)?|ciao|buongiorno|buonasera|olá|bom dia|boa tarde|goedemorgen|goedendag)(?: (?:there|again|all|everyone|assay|zusammen|à tous|a todos))?`)},
	{greeting, whole(`how are you(?: doing)?(?: today)?|how do you do|wie geht(?:s| es)(?: dir| ihnen)?|(?:comment )?ça va|comment allez vous|qué tal|cómo (?:estás|está usted)|come stai|tudo bem`)},
	{thanks, whole(`(?:ok |okay |great |perfect |super )?(?:many |vielen |herzlichen |muchas |mille )?(?:thanks|thank you|thx|cheers|danke|dankeschön|dank|merci|gracias|grazie|obrigad[oa]|dank je|dank u)(?: (?:so much|very much|a lot|again|schön|sehr|beaucoup|bien|mil|mille|for (?:your|the|all your) help|that helps|that helped))*`)},
	{parting, whole(`(?:good ?bye|bye(?: bye)?|see you(?: later| soon)?|tschüss|auf wiedersehen|au revoir|à bientôt|adiós|hasta luego|arrivederci|tchau|tot ziens)`)},
	{capability, whole(`(?:so )?(?:what (?:can|could|do) you do(?: for me)?|what are you(?: able to do| good for)?|who are you|what is this|what (?:can|should|may) i ask(?: you)?|how (?:do|can|should) i use (?:you|this)|how (?:do you|does (?:this|it)) work|help(?: me)?(?: please)?|can you help(?: me)?|what can you help(?: me)? with)`)},
	{capability, whole(`was (?:kannst du|können sie)(?: alles)?(?: tun| machen)?|was bist du|wer (?:bist du|sind sie)|wie funktioniert das|hilfe|kannst du mir helfen|que (?:peux tu|pouvez vous) faire|qui (?:es tu|êtes vous)|comment ça marche|aide|(?:qué|que) (?:puedes|sabes|puede) hacer|quién eres|cómo funciona(?: esto)?|ayuda|cosa puoi fare|o que você pode fazer`)},
	{documents, whole(`(?:which|what|how many) (?:documents|files|papers|sources|texts)(?: (?:do you (?:have|know|hold|use|see)|have you(?: got| read)?|did you read|are (?:there|loaded|ingested|available)|are in (?:there|the corpus|this corpus|it)|can you (?:see|read|use)))|(?:please )?(?:list|show)(?: me)?(?: all)?(?: the| my| your| of my| of the)? (?:documents|files|sources)|what (?:do you know|have you read|is in (?:the|this|my) corpus)`)},
	{documents, whole(`(?:welche|wie viele) (?:dokumente|dateien|unterlagen|quellen) (?:hast du|haben sie|gibt es|kennst du|kennen sie|sind da)|(?:quels|combien de) (?:documents|fichiers) (?:as tu|avez vous|y a t il|connais tu)|(?:qué|cuántos|cuáles) (?:documentos|archivos) (?:tienes|tiene|hay|conoces)`)},
}

func whole(form string) *pattern.Pattern { return pattern.New(`^(?:` + form + `)$`) }

// longest is the length, in words, of the longest line that can be small talk.
const longest = 14

// bare returns the words of a line, in lower case and without punctuation.
func bare(line string) []string {
	return strings.FieldsFunc(strings.ToLower(strings.NewReplacer("'s", " is", "’s", " is", "'", "", "’", "").Replace(line)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r)
	})
}

// kindOf is the kind of a line. Of several forms in a line, such as a greeting before a question
// about the program, the last kind in the list of kinds counts.
func kindOf(line string) kind {
	said, found := bare(line), question
	if len(said) > longest {
		return question
	}
	for len(said) > 0 {
		n, k := longestForm(said)
		if n == 0 {
			return question
		}
		found, said = max(found, k), said[n:]
	}
	return found
}

// longestForm finds the longest form at the beginning of the words: its number of words and its kind.
func longestForm(words []string) (int, kind) {
	for n := len(words); n > 0; n-- {
		s := strings.Join(words[:n], " ")
		for _, f := range forms {
			if f.form.MatchString(s) {
				return n, f.kind
			}
		}
	}
	return 0, question
}

// mostListed bounds the documents in a list.
const mostListed = 40

// Reply answers a line, in Markdown. It returns false for a question, which needs a search.
func Reply(line string, of Library) (string, bool) {
	switch kindOf(line) {
	case greeting:
		return "Hello. " + ability(of), true
	case thanks:
		return "You are welcome.", true
	case parting:
		return "Goodbye.", true
	case capability:
		return ability(of) + " I say so when the documents do not answer. A question may refer to the one before it: “and on Sundays?”", true
	case documents:
		return list(of), true
	}
	return "", false
}

func ability(of Library) string {
	return fmt.Sprintf("I answer questions from your documents with exact quotes, and say where each stands. I have %s (corpus %s); “which documents do you have?” lists them.", cli.Count(of.Info().Files, "document"), of.Name())
}

func list(of Library) string {
	var b strings.Builder
	info, all := of.Info(), of.Describe()
	fmt.Fprintf(&b, "Corpus %s has %s with %s:\n\n", of.Name(), cli.Count(info.Files, "document"), cli.Count(info.Passages, "passage"))
	for i, s := range all {
		if i == mostListed {
			fmt.Fprintf(&b, "- and %d more\n", len(all)-i)
			break
		}
		fmt.Fprintf(&b, "- %s\n", s.Source)
	}
	return strings.TrimSpace(b.String())
}
