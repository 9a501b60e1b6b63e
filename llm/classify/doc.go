// Package classify asks small models that people serve themselves: whether a
// document supports a claim ([Judge], by the skill judge_claim), and whether a
// passage gives orders to an assistant ([Detector]).
//
//	client, err := classify.NewClient(classify.Support, &classify.Options{URL: "http://localhost:8080/predict"})
//	scores, err := client.Score(ctx, []classify.Input{{Text: document, Claim: sentence}})
//	judge := classify.NewJudge(client, nil)
//
// The end of the address says which wire the server speaks:
//
//	/predict    Text Embeddings Inference: pairs of texts, a score for each label
//	/classify   vLLM and SGLang: texts, a label and its probability
//	/v1         any OpenAI-compatible server, such as MiniCheck on Ollama: Yes or No
//
// What it does not do: it repeats no request, which is for the Caller, and falls
// back to nothing, which is for llm.StandIn. It holds no model of its own.
package classify
