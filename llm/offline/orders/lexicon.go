package orders

import "regexp"

// What a sentence is looked through for. No list holds a topic: what an order is
// about may be anything.
var (
	edit       = regexp.MustCompile(`(?i)^(?:in (?:your|the) (?:response|answer|reply|output)\W+|please\s+|also\s+|now\s+|then\s+|kindly\s+)*(add|include|integrate|insert|modify|augment|enhance|append|prepend|embed|incorporate|suggest|tease|replace|use|convert|render|substitute|misspell|scramble|jumble|introduce|rearrange|anagram|remove|group|combine|encode|decode|reverse|translate|rewrite|rephrase|paraphrase|summari[sz]e|shuffle|swap|capitali[sz]e|write|respond|reply|answer|output|print|say|state|mention|promote|advertise|recommend|encourage|provide|give|present|express|format|mix|disguise|mask|hide|spell|repeat|end|start|begin|conclude|finish|weave|sprinkle|mirror|flip|interject|tell|inform|claim|assert|emphasi[sz]e|highlight|invite|persuade|convince)\b`)
	task       = regexp.MustCompile(`(?i)^(?:please\s+|can you (?:please )?|could you (?:please )?|would you (?:please )?|now\s+|then\s+|kindly\s+|i (?:want|need) you to\s+)*(write|draft|compose|develop|create|generate|design|produce|explain|describe|outline|break down|define|analy[sz]e|compare|contrast|calculate|compute|solve|determine|evaluate|assess|classify|identify|list|name|tell me|show me|teach|help me|translate|convert|summari[sz]e|paraphrase|research|find|look up|recommend|suggest|plan|organi[sz]e|schedule|set|book|play|predict|forecast|estimate|imagine|pretend|act|recite|sing|interpret|discuss|elaborate|give me|provide (?:me )?(?:a|an|the|some|with)|implement|code|debug|program)\b`)
	general    = regexp.MustCompile(`(?i)^(?:what(?:'s|’s| is| are| was| were| were| does| do)|who (?:is|was|wrote|invented|discovered|painted|won)|how (?:do|does|did|to|can|is|are|many|much)|why (?:do|does|did|is|are)|when (?:did|was|is)|where (?:is|was|are|did))\b`)
	transform  = regexp.MustCompile(`(?i)\b(vowels?|consonants?|letters?|characters?|spaces?|punctuation|anagram\w*|typos?|misspell\w*|emojis?|symbols?|base ?64|base ?32|hex(?:adecimal)?|binary|ascii|morse|rot ?13|cipher|encod\w+|encrypt\w*|decod\w+|revers\w+|backwards?|uppercase|lowercase|alphabet\w*|homophonic|alphanumeric|jumbl\w+|scrambl\w+|pig latin|caesar|every (?:second|third|fourth|fifth|other|nth) (?:word|letter)|groups? of (?:three|four|five|\d))\b`)
	yourOutput = regexp.MustCompile(`(?i)\b(?:your|the) (?:\w+ )?(?:response|answer|reply|output)\b`)
	product    = regexp.MustCompile(`(?i)\b(a|an)\s+(?:\w+\s+){0,2}(poem|limerick|sonnet|playlist|itinerary|advertisement|story|essay|speech|letter|song|haiku|function|script|program|code|paragraph|email|article|report|summary|list|recipe|joke|tweet|headline|slogan|plan|review|statement|reminder|sentence|tip|appeal|recommendation|reason)\b`)
	override   = regexp.MustCompile(`(?i)\b(ignore|disregard|forget|override|bypass|skip|do not follow|don'?t follow)\s+(?:\w+\s+){0,4}?(previous|prior|above|earlier|preceding|all|any|your|system|these|the)\s+(?:\w+\s+){0,3}?(instructions?|prompts?|directives?|commands?|rules?|guidelines?|context|messages?|conversation)`)
	assistant  = regexp.MustCompile(`(?i)\b(system prompt|you are now|from now on,? you|act as|pretend to be|developer mode|jailbreak|\[/?INST\]|<\|?im_(?:start|end)\|?>|reveal .{0,30}(?:prompt|instructions)|as an ai|language model|chatbot|assistant)\b`)
	ui         = regexp.MustCompile(`(?i)\b(click|unsubscribe|subscribe|log ?in|sign ?in|sign up|view|download|visit|reply to this email|contact us|call us|visit us|update your|manage|preferences|account|order|invoice|payment|receipt|refund|charged|transaction|card|shipping)\b`)
	output     = regexp.MustCompile(`(?i)\b(?:your|the|this|each|every|all)\s+(?:\w+\s+){0,2}(?:response|answer|reply|replies|output|message|responses|answers|summary|text|words?|letters?|sentences?|result)\b`)

	alphabet = regexp.MustCompile(`(?i)\b(?:vowels?|consonants?|every (?:second|third|other|nth|\w+th) (?:word|letter|character)|each (?:letter|word|character)|(?:all|the) (?:letters|characters|spaces|vowels)|anagrams?|typos?|misspell\w*|emojis?|base ?64|hexadecimal|morse|rot ?13|cipher|pig latin|backwards?|in reverse|upper ?case|lower ?case|alphanumeric|homophon\w+|groups? of (?:three|four|five|\d))\b`)
	question = regexp.MustCompile(`(?i)^(?:who|what|when|where|why|how|which|is|are|do|does|did|can|could|will|would|should)\b.*\?\W*$`)
	audience = regexp.MustCompile(`(?i)\b(?:users?|readers?|customers?|people|everyone)\b`)
	link     = regexp.MustCompile(`(?i)\bhttps?://|\bwww\.|\b[\w-]+\.(?:com|net|org|io|xyz|info)\b`)
	quoted   = regexp.MustCompile(`["“][^"”]+["”]|(?:^|\s)['‘][^'’]{2,}['’]`)
	first    = regexp.MustCompile(`(?i)\b(?:i|i'm|i've|my|me|mine|we|our|us|i’m|i’ve)\b`)
	inReply  = regexp.MustCompile(`(?i)\b(?:in|to|of|with) (?:your|the) (?:\w+ )?(?:response|answer|reply|output|message)\W*$`)
	bullet   = regexp.MustCompile(`^(?:[-*•>\s]|\(?\w{1,2}[.)]\s)+`)
)
