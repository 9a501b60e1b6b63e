package injection

import (
	"slices"
	"strings"
	"unicode"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/pattern"
)

// Words for the addressed machine. A person's job, "assistant", counts only together with the
// activities of an assistant that answers from documents.
const (
	machine = `(?:AIs?|A\.I\.|(?i:AI|KI|IA)[- ](?i:assistants?|models?|systems?|agents?|tools?|readers?|chatbots?|bots?|reviewers?|summari[sz]ers?|assistent(?:en|inn?en)?|systeme?|modelle?n?|agenten?)|` +
		`KI|IAs?|LLMs?|(?i:chat ?gpt|gpt(?:-\w+)?|chat-?bots?|(?:large |small )?language models?|(?:virtual|digital|automated|automatic|artificial)[- ](?:assistants?|agents?|readers?|intelligences?|summari[sz]ers?)|` +
		`sprachmodelle?n?|künstliche[nr]? intelligenz(?:en)?|digitale[nr]? assistent(?:en)?|` +
		`assistants? (?:d['’])?ia|assistants? virtuels?|intelligences? artificielles?|modèles? de langage|modeles? de langage|agents? conversationnels?|` +
		`asistentes? (?:de )?ia|asistentes? virtual(?:es)?|inteligencias? artificial(?:es)?|modelos? de lenguaje|` +
		`assistenti? (?:di )?ia|assistenti? virtual[ei]|intelligenz[ae] artificial[ei]|modell[oi] linguistic[oi]|` +
		`assistentes? (?:de )?ia|assistentes? virtua(?:l|is)|inteligências? artificia(?:l|is)|inteligencias? artificia(?:l|is)|modelos? de linguagem|` +
		`ai-assistent(?:en)?|taalmodel(?:len)?|kunstmatige intelligentie))`
	// toward precedes the addressee: "note to all", "an", "aux".
	toward = `(?i:(?:to|for|dear|attention|hey|hello|an|für|liebe[rs]?|achtung|aux?|à|a|pour|chers?|chères?|para|per|agli|ai|alle?|gli|cari|caro|aan|voor|beste|aos?|às|caros?)\s+(?:l['’])?(?:(?:all|any|every|each|the|alle|jede[ns]?|die|das|tous les|toutes les|les|los|las|todos los|todas las|tutti gli|tutte le|gli|i|os|as|todos os|todas as|elke|iedere|de)\s+){0,2})`
	// notice matches the name that such a line gives itself.
	notice = `(?i:note|notice|message|instructions?|attention|reminder|hint|directive|memo|warning|important|hinweis|nachricht|anweisung(?:en)?|achtung|wichtig|mitteilung|remarque|consigne|avis|message|nota|aviso|mensaje|instrucci(?:ón|ones)|atención|messaggio|istruzion[ei]|attenzione|avviso|mensagem|instruç(?:ão|ões)|atenção|bericht|opmerking|instructies?|let op)`
	doing  = `(?i:reading|reads?|processing|process(?:es)?|summari[sz](?:ing|es?)|answering|answers?|analy[sz](?:ing|es?)|parsing|indexing|evaluating|reviewing|using|quoting|citing)`
	here   = `(?i:this|these|the (?:following|above|present)|it)\s*(?i:document|page|text|file|passage|e-?mail|article|paper|note|message|website|content|manual|résumé|cv|table|sheet|section)?`
)

var (
	// labelled matches a line that names its addressee: "Note to AI assistants:".
	labelled = pattern.New(`(?:` + notice + `[^.!?:\n]{0,20}?\s+)?` + toward + machine + `\b[^.!?:\n]{0,60}?(?:[:：]|\s[–—]\s)|` + notice + `\s+(?:\w+\s+)?` + toward + machine + `\b|\((?:` + toward + `)?` + machine + `\s?[:：]`)
	// opening matches the same at the beginning of a sentence, without such a word; an instruction
	// must follow.
	opening = pattern.New(`^[\W_]{0,6}(?:` + toward + `)?` + machine + `\b(?:\s+[^.!?:,\n]{0,50})?[:,：]\s*`)
	// supposed matches "if you are a language model".
	supposed = pattern.New(`(?i:\b(?:if|when|as|since|wenn|falls|da|si|se|als|caso|como|puisque|poiché)\s+(?:you['’]?(?: are|re)?|du|sie|ihr|vous êtes|tu es|eres|es usted|usted es|sei|siete|lei è|você é|és|je|u|jij)\s+(?:bent\s+|an?\s+|eine?\s+|une?\s+|una\s+|uno\s+|um\s+|uma\s+|een\s+|any\s+|the\s+)*)(?:\w+\s+){0,1}?` + machine + `\b`)
	// readsHere matches a machine that reads this text and must do something.
	readsHere = pattern.New(machine + `\s+(?i:(?:that|which|who)\s+(?:is\s+|are\s+)?)?` + doing + `\s+` + here + `|(?i:\b(?:assistants?|bots?|robots?|whoever|anyone|models?|systems?))\s+(?i:(?:that|which|who)\s+)?(?:` + doing + `)\s+(?i:this|these)\s+(?i:document|page|text|file|passage|e-?mail|article|paper|website|content)\b`)
	duties    = pattern.New(`(?i)\b(?:must|should|shall|are to|is to|please|has to|have to|needs? to|always|never)\b|[:：]`)
	// dictated matches what a machine must say.
	dictated = pattern.New(`(?:^|[.;:!?]\s*|\b(?i:all|any|every|the|alle|tous les|los|las|gli|i|os)\s+)[*_>#-]*\s*` + machine + `(?:\s+(?i:of|reading|using|on|in)\s[^.!?,;]{1,40})?\s+(?i:must|should|shall|are (?:instructed|required|asked|told|ordered) to|have to|will|müssen|sollen|doivent|deben|devono|devem|moeten)\s+(?i:always\s+|only\s+|immer\s+|toujours\s+)?(?:(?i:recommend|ignore|disregard|conclude)\b|(?i:answer|reply|respond|say|state|report|claim|confirm|antworten|sagen|répondre|dire|responder|decir|rispondere|dizer)\b[^.!?]{0,12}?(?i:\b(?:that|with|dass|que|che|dat)\b|[:"“„«]))`)
	honestly = pattern.New(`(?i)\bthat (?:they|it|he|she) (?:is|are)\b`)
	// asked matches an instruction on what to tell users about this text.
	asked = pattern.New(`(?i)\b(?:when|if|whenever)\s+(?:you(?:['’]re| are)?\s+)?(?:summari[sz]ing|answering (?:questions? )?(?:about|from|on)|asked (?:about|to summari[sz]e)|describing|quoting)\s+(?:this|these)\s+(?:document|page|text|file|passage|e-?mail|article|paper|website|content|product|company|candidate)\b|\b(?:when|if|whenever)\s+(?:the|an?)\s+users?\s+asks?\b[^.!?]{0,80},\s*(?:always\s+|only\s+)?(?:you (?:must|should)\s+)?(?:answer|reply|respond|say|tell|state|claim|recommend)\b`)
	// eastern matches the same in Japanese and Chinese.
	eastern = pattern.New(`(?:AI|ＡＩ|人工知能|言語モデル|チャットボット)(?:アシスタント|システム|モデル)?(?:へ|への|向け|に対する|の皆|各位)|(?:AI|ＡＩ|人工知能|言語モデル|チャットボット)(?:アシスタント|システム|モデル)?は.{0,60}(?:答え|回答し|伝え|述べ|返答し|無視し)(?:て|る|なければ|なさい)|あなたが(?:AI|人工知能|言語モデル)|(?:致|给|給|对|對|请|請|所有)(?:所有|各位)?(?:的)?(?:AI|ＡＩ|人工智能|人工智慧|语言模型|語言模型|大模型|聊天机器人|聊天機器人)|(?:如果|若)(?:你|您)是.{0,4}(?:AI|人工智能|人工智慧|语言模型|語言模型|助手|聊天机器人)|(?:AI|人工智能|人工智慧|语言模型|語言模型|聊天机器人)(?:助手|系统|模型)?.{0,12}(?:必须|應|应|请|請|务必).{0,20}(?:回答|告诉|告訴|说|忽略|推荐)`)
)

// speaksToMachine reports whether a sentence addresses a machine that reads it, whatever else it
// says.
func speaksToMachine(s string) (words string, ok bool) {
	switch {
	case mayAddress(s):
		return addresses(s)
	case strings.ContainsFunc(s, func(r rune) bool { return r >= 0x3000 }):
		words = eastern.FindString(s)
	}
	return words, words != ""
}

// addressees are prefixes and whole words, of which the patterns below need at least one. Most
// sentences have none, and testing this is faster than a pattern.
var (
	addressees = map[byte][]string{
		'a': {"agent", "answering", "anyone", "artific", "asistent", "asked", "assist", "autom"}, 'b': {"bot"}, 'c': {"chat"}, 'd': {"describing", "digital"},
		'g': {"gpt"}, 'i': {"intelig", "intellig"}, 'k': {"kunstmatig", "künstlich"}, 'l': {"language", "llm"}, 'm': {"model", "modèl"},
		'q': {"quoting"}, 'r': {"robot"}, 's': {"sprachmodel", "summari", "system"}, 't': {"taalmodel"}, 'u': {"user"}, 'v': {"virtual"}, 'w': {"whoever"},
	}
	addresseeWords = []string{"ai", "ais", "ki", "ia", "ias"}
)

// mayAddress reports whether a sentence has a word that the patterns need.
func mayAddress(s string) bool {
	for w := range strings.FieldsFuncSeq(s, func(r rune) bool { return !unicode.IsLetter(r) }) {
		for _, start := range addressees[w[0]|0x20] {
			if len(w) >= len(start) && strings.EqualFold(w[:len(start)], start) {
				return true
			}
		}
		if len(w) < 4 && slices.ContainsFunc(addresseeWords, func(a string) bool { return strings.EqualFold(w, a) }) {
			return true
		}
	}
	return strings.Contains(s, "A.I.")
}

// addresses is speaksToMachine without its shortcut.
func addresses(s string) (words string, ok bool) {
	if m := eastern.FindString(s); m != "" {
		return m, true
	}
	if m := supposed.FindString(s); m != "" {
		return m, true
	}
	if m := asked.FindString(s); m != "" {
		return m, true
	}
	if m := dictated.FindString(s); m != "" && !honestly.MatchString(s) {
		return m, true
	}
	if at := readsHere.FindStringIndex(s); at != nil && duties.MatchString(s[at[1]:]) {
		return s[at[0]:at[1]], true
	}
	if m := labelled.FindString(s); m != "" {
		return m, true
	}
	if m := opening.FindString(s); m != "" {
		rest := strings.TrimSpace(s[len(m):])
		if h := heard(rest); h.act == orders || strings.HasPrefix(strings.ToLower(rest), "you ") {
			return m, true
		}
	}
	return "", false
}

// Words that a rule must have matched to count in a document, which instructs and forbids other
// things than a question does.
var (
	ignoring = pattern.New(`(?i)\b(?:ignor\w+|disregard\w*|forget|neglect|overlook)\b`)
	whose    = pattern.New(`(?i)\b(?:your|system|developer)\b`)
	told     = pattern.New(`(?i)\b(?:instructions?|prompts?|directives|guidelines|rules|told|programmed)\b|\b(?:everything|all|the|anything)\b.{0,12}\b(?:above|before|preceding)\b|\bsources?\b|\bpassages?\b|\bdocuments?\b|\bevidence\b`)
	prompts  = pattern.New(`(?i)\b(?:system|hidden|secret|initial|original) (?:prompt|instructions?|message)\b|\byour (?:\w+ )?(?:instructions|directives|guidelines|programming)\b|\byou (?:were|have been|are) (?:told|given|instructed)\b`)
	channel  = pattern.New(`(?i)\b(?:conversation|chat|history|prompt|instructions|passwords?)\b.*(?:http|@|url|webhook)`)
	marks    = pattern.New(`<\||\[/?INST\]|<</?SYS>>`)
	switches = pattern.New(`(?i)^(?:enter|activate|enable|switch|become|stop)\b`)
)

// outright reports whether a rule's match in a sentence of a document is meant for an assistant.
// Manuals say "DROP RULE", "enable debug mode" and "edit your prompt".
func outright(h hit, s string) bool {
	switch h.category {
	case "override":
		own := whose.MatchString(h.words)
		return !text.IsASCII(h.words) || strings.HasPrefix(h.why, "In another") || (ignoring.MatchString(h.words) || own && h.score >= .9) && (own || told.MatchString(h.words)) && !strings.HasPrefix(h.why, "It gives")
	case "prompt_leak":
		return prompts.MatchString(h.words)
	case "exfiltration":
		return channel.MatchString(h.words)
	case "role_switch":
		return !switches.MatchString(h.words)
	case "delimiter_spoof":
		if marks.MatchString(h.words) {
			return true
		}
		_, rest, ok := strings.Cut(s, ":")
		rest = strings.TrimSpace(rest)
		return ok && strings.Contains(h.words, ":") && (heard(rest).act == orders || strings.HasPrefix(strings.ToLower(rest), "you "))
	}
	return !strings.HasPrefix(h.why, "It forbids")
}

// spoken returns the hit with the highest score over all readings of a sentence of a document.
func spoken(s string) hit {
	var best hit
	for _, v := range readings(s) {
		for _, h := range scan(v.text) {
			if h.score > best.score && outright(h, v.text) {
				best = h
			}
		}
		if words, ok := speaksToMachine(v.text); ok && best.score < 1 && !newTalk(v.text).quotedWord(words) {
			best = hit{category: "addressed", score: 1, why: "It speaks to an assistant", words: words}
		}
	}
	return best
}
