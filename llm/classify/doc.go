// Package classify asks small classification models on the user's own servers: whether a document
// supports a claim ([Judge], for the skill judge_claim), and whether a passage contains prompt
// injection ([Detector]).
//
//	client, err := classify.NewClient(classify.Support, &classify.Options{URL: "http://localhost:8080/predict"})
//	scores, err := client.Score(ctx, []classify.Input{{Text: document, Claim: sentence}})
//	judge := classify.NewJudge(client, nil)
//
// The end of the address selects the protocol:
//
//	/predict    Text Embeddings Inference: pairs of texts, a score for each label
//	/classify   vLLM and SGLang: texts, a label and its probability
//	/v1         any OpenAI-compatible server, such as MiniCheck on Ollama: Yes or No
//
// The package has no model of its own. It does not retry, which the Caller does, and has no
// fallback, which llm.StandIn provides.
package classify
