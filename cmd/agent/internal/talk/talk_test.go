package talk

import (
	"strings"
	"testing"

	"example.com/assay/memory"
)

type library struct{}

func (library) Name() string            { return "mine" }
func (library) Info() memory.CorpusInfo { return memory.CorpusInfo{Files: 2, Passages: 7} }
func (library) Describe() []memory.SourceInfo {
	return []memory.SourceInfo{{Source: "lease.docx"}, {Source: "rules/shop.txt"}}
}

// A line is small talk only if the whole line is.
func TestKinds(t *testing.T) {
	for line, want := range map[string]kind{
		"hello": greeting, "Hello!": greeting, "hi there 👋": greeting, "Good morning.": greeting, "Guten Tag": greeting, "Bonjour !": greeting,
		"¡Hola! ¿Qué tal?": greeting, "hey, how are you?": greeting, "thanks": thanks, "Thank you very much!": thanks, "ok, thanks": thanks,
		"Vielen Dank": thanks, "merci beaucoup": thanks, "muchas gracias": thanks, "bye": parting,
		"what can you do?": capability, "Hello, what can you do?": capability, "help": capability, "Was kannst du?": capability, "¿Qué puedes hacer?": capability,
		"Que peux-tu faire ?": capability, "Who are you?": capability, "what's this?": capability,
		"which documents do you have?": documents, "What files are there?": documents, "list my documents": documents, "Welche Dokumente hast du?": documents,
		"thanks, which documents do you have?": documents,
		"hello, when does the shop close?":     question, "What does hello mean?": question, "Which documents do I need for a visa?": question,
		"thanks to whom was it built?": question, "Who gives thanks?": question, "how do I get help with my rent?": question, "": question, "???": question,
		"What can a tenant do?": question, "Which documents must a tenant have?": question, "and the bar?": question,
	} {
		if got := kindOf(line); got != want {
			t.Errorf("%q is %d, not %d", line, got, want)
		}
	}
}

func TestReply(t *testing.T) {
	if words, ok := Reply("Which documents do you have?", library{}); !ok || !strings.Contains(words, "2 documents with 7 passages") || !strings.Contains(words, "- rules/shop.txt") {
		t.Errorf("%q", words)
	}
	if words, ok := Reply("hello", library{}); !ok || !strings.Contains(words, "exact quotes") {
		t.Errorf("%q", words)
	}
	if words, ok := Reply("When does the shop close?", library{}); ok {
		t.Errorf("%q", words)
	}
}
