package injection

import (
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// part is a set of functions of a word in an instruction to an assistant.
type part uint32

const (
	overrideVerb part = 1 << iota // ignore, forget, bypass …
	obeyVerb                      // follow, obey: an override when negated
	revealVerb                    // reveal, show, print …
	sayVerb                       // say, respond, output …
	sendVerb                      // send, upload …
	roleVerb                      // act, pretend, imagine …
	instrNoun                     // instructions, rules, prompt …
	promptNoun                    // those that only an assistant has
	prior                         // previous, above …
	system                        // system, hidden …
	your                          // your
	all                           // all, any, these …
	filler                        // may stand between verb and object
	persona                       // assistant, hacker, unrestricted …
	secret                        // password, API key, conversation …
	foreignVerb
	foreignNoun
	foreignPrior
	modal     // must, should …: "you must ignore" is an order
	lead      // please, now …: an instruction follows
	discourse // phrases, attacks …: a mention follows
)

const (
	orderVerbs = overrideVerb | obeyVerb | revealVerb | sayVerb | sendVerb | roleVerb | foreignVerb
	nouns      = instrNoun | promptNoun | persona | secret | foreignNoun
	trigger    = orderVerbs
)

var classes = sync.OnceValue(func() map[string]part {
	m := map[string]part{}
	for _, row := range []struct {
		c     part
		words string
	}{
		{overrideVerb, `ignore ignoring disregard disregarding forget override overriding bypass skip overlook neglect discard
			abandon erase dismiss suspend disable circumvent evade unlearn void supersede violate drop delete remove break
			overwrite replace cancel reset nevermind unset`},
		{obeyVerb, `follow obey adhere comply respect heed observe listen apply abide bound restricted limited constrained
			following obeying adhering complying respecting`},
		{revealVerb, `reveal show print display output repeat tell give disclose leak share expose reproduce recite dump copy
			list write translate summarize summarise encode paraphrase echo spell provide return state describe quote
			what what's explain read paste post see get know`},
		{sayVerb, `say respond reply answer output print write return conclude state claim tell declare classify label mark
			rate flag treat select choose pick approve cite mention
			use consult check refuse decline start begin`},
		{sendVerb, `send email mail post upload forward transmit exfiltrate append include embed render fetch submit load call leak`},
		{roleVerb, `stop your act pretend imagine roleplay role-play simulate behave become you enter activate enable switch are`},
		{instrNoun, `instruction instructions prompt prompts directive directives guideline guidelines rule rules command commands
			programming training restriction restrictions filter filters safeguard safeguards guardrail guardrails policy policies
			constraint constraints context orders moderation protocol protocols limitation limitations configuration settings
			message messages conversation instructed safety checks ethics boundaries directions task tasks`},
		{promptNoun, `prompt prompts programming guardrail guardrails safeguards configuration moderation`},
		{prior, `previous prior above earlier preceding foregoing initial original former past before existing previously current old`},
		{system, `system developer hidden internal secret safety content ethical moral default built-in core base preprogrammed
			pre-programmed confidential starting underlying`},
		{your, `your ur thy`},
		{all, `all any every each these those this my our everything anything entire whole full complete exact verbatim both`},
		{filler, `the of and or to that which were was are you been given have had i we a an very rest set list and/or other
			first me us with by from kind type exactly completely word-for-word out in is what words text`},
		{persona, `assistant ai bot chatbot model hacker pirate character entity machine unrestricted uncensored unfiltered evil
			jailbroken dan rogue unethical amoral unaligned limitless gpt llm terminal simulator freed obedient omniscient`},
		{secret, `conversation chat history password passwords credentials credential token tokens secrets key keys api environment
			variables prompt instructions documents data contents logs session sessions everything queries`},
		{foreignVerb, `quelles quels cuales quali quais welche какие каковы ignore ignora ignorar ignorez ignorer ignoriere ignorieren ignorier olvida olvide olvidar oubliez oublie oublier vergiss
			vergessen missachte missachten dimentica dimenticare esqueca desconsidere desconsiderar negeer vergeet zignoruj zapomnij
			игнорируй игнорируйте проигнорируй проигнорируйте забудь забудьте muestra muestrame revela revele montre montrez revelez
			zeige zeig mostra mostre rivela покажи покажите раскрой omite descarta pokaz ujawnij toon`},
		{foreignNoun, `instrucciones instruccion instructions instruction consignes directives anweisungen anweisung anweisungen regeln
			vorgaben istruzioni istruzione regole instrucoes instrucao regras ordenes reglas regles instructies regels instrukcje
			polecenia zasady инструкции инструкцию инструкций указания правила промпт prompt systemprompt systemanweisungen`},
		{foreignPrior, `anteriores anterior previas previa precedentes precedente precedentes precedenti vorherigen vorherige vorigen
			bisherigen obigen todas todos toutes tous alle alles tutte tutti tuas tus tu votre vos ton tes deine deinen dein ihre
			предыдущие все свои свой системный vorige voorgaande poprzednie wszystkie sistema systeme sistema systemowy`},
		{modal, `must should will shall can may could would need have might`},
		{lead, `please now then just also first instead simply kindly immediately so ok okay hey next finally henceforth lets let's and but`},
		{discourse, `phrase phrases word words wording attack attacks attacker attackers injection injections string strings input inputs
			example examples sentence sentences wrote writes written saying says said hacker hackers prompts expression text quoted
			called jailbreak jailbreaks payload payloads employee users user adversary reads command commands instruction chatbots llms`},
	} {
		for _, w := range strings.Fields(row.words) {
			m[bare(w)] |= row.c
		}
	}
	return m
})

// A piece is a word or a mark of punctuation.
type piece struct {
	text       string // lower case, without accents
	start, end int
	punct      bool
	part       part
}

// A talk is a reading split into pieces.
type talk struct {
	s       string
	tokens  []piece
	classes part     // of all pieces
	quotes  [][2]int // byte ranges inside quotation marks
}

func newTalk(s string) *talk {
	t := &talk{s: s}
	m := classes()
	start := -1
	word := func(end int) {
		if start < 0 {
			return
		}
		w := strings.ToLower(strings.ReplaceAll(s[start:end], "’", "'"))
		w = strings.Trim(bare(w), "-'")
		if w != "" {
			p := piece{text: w, start: start, end: end, part: m[w]}
			t.classes |= p.part
			t.tokens = append(t.tokens, p)
		}
		start = -1
	}
	for i, r := range s {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || (r == '\'' || r == '’' || r == '-') && start >= 0 {
			if start < 0 {
				start = i
			}
			continue
		}
		word(i)
		if !unicode.IsSpace(r) || r == '\n' {
			t.tokens = append(t.tokens, piece{text: string(r), start: i, end: i + len(string(r)), punct: true})
		}
	}
	word(len(s))
	t.findQuotes()
	return t
}

// bare removes accents from a word that has any.
func bare(w string) string {
	for i := 0; i < len(w); i++ {
		if w[i] >= 0x80 {
			return strings.Map(func(r rune) rune {
				if unicode.Is(unicode.Mn, r) && r < 0x370 {
					return -1
				}
				return r
			}, norm.NFD.String(w))
		}
	}
	return w
}

// findQuotes records the text between quotation marks.
func (t *talk) findQuotes() {
	closing := map[rune]rune{'“': '”', '"': '"', '«': '»', '`': '`', '‘': '’', '„': '“', '\'': '\''}
	var want rune
	from := 0
	prev := ' '
	runes := []rune(t.s)
	at := 0
	for i, r := range runes {
		next := ' '
		if i+1 < len(runes) {
			next = runes[i+1]
		}
		switch {
		case want == 0 && closing[r] != 0 && !(isLetter(prev) && (r == '\'' || r == '‘')):
			want, from = closing[r], at
		case want != 0 && r == want && !(isLetter(next) && (r == '\'' || r == '’')):
			t.quotes = append(t.quotes, [2]int{from, at})
			want = 0
		}
		at += len(string(r))
		prev = r
	}
}

func isLetter(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// span returns the text of the pieces from..to−1.
func (t *talk) span(from, to int) string {
	return t.s[t.tokens[from].start:t.tokens[min(to, len(t.tokens))-1].end]
}

// sentenceStart returns the index of the first piece of i's sentence.
func (t *talk) sentenceStart(i int) int {
	for i > 0 && !t.ends(i-1) {
		i--
	}
	return i
}

// ends reports whether piece i ends a sentence.
func (t *talk) ends(i int) bool {
	return t.tokens[i].punct && strings.ContainsAny(t.tokens[i].text, ".!?。")
}

// is reports whether piece i is one of the words.
func (t *talk) is(i int, words ...string) bool {
	if i < 0 || i >= len(t.tokens) {
		return false
	}
	for _, w := range words {
		if t.tokens[i].text == w {
			return true
		}
	}
	return false
}

// has reports whether piece i is a word with function c.
func (t *talk) has(i int, c part) bool {
	return i >= 0 && i < len(t.tokens) && t.tokens[i].part&c != 0
}

// near reports whether one of the words is in from..to−1.
func (t *talk) near(from, to int, words ...string) bool {
	for i := max(from, 0); i < min(to, len(t.tokens)); i++ {
		if t.is(i, words...) {
			return true
		}
	}
	return false
}
