// Package react is an agent for one's own tools: a model that calls tools until it can answer.
//
// # Use
//
//	weather, err := llm.NewTool("weather", "The weather in a town.", lookUp)
//	…
//	g, err := react.New(model, []react.Tool{{Callable: weather}}, nil)
//	…
//	app, err := g.Compile(&graph.CompileOptions{Checkpointer: saver})
//	…
//	final, err := app.Invoke(ctx, react.Say("Do I need a coat in Oslo?"), &graph.RunOptions{Thread: "ann"})
//	fmt.Println(react.Answer(final))
//
// New returns an uncompiled graph: the caller compiles it, or puts it into another graph.
//
// # How a turn runs
//
// begin adds the person's message. The steps of Options.Before run in order, then the model is
// asked. When it calls tools, dispatch sends each call to the node of its tool, as a separate task.
// A call that asks a person, fails or is interrupted by a crash runs again alone: the results of
// the others are saved. Results stay in the order of the calls. Then the model is asked again. When
// it calls no tool, the steps of Options.After run, and the turn ends.
//
// # Messages
//
// State.Messages is a keyed channel: a message is replaced or removed by its ID, and a checkpoint
// holds only the changes. The IDs of the agent's messages depend only on their place, so equal runs
// are equal to the byte.
//
// # A deep agent
//
// Deep adds to-dos, files, subagents, skills, a shell and an inbox, as far as DeepOptions have them.
// All of them are tools and steps of such an agent, and its to-dos and files are channels of its state.
// The beginning of its requests stays equal to the byte while the conversation grows. It changes where
// a skill changes, where a summary stands for messages, and where the to-dos are shown again.
//
// # What it does not do
//
// It does not decide who may call which tool: Tool.Approve does. It does not limit a tool's access
// to files or the network. It does not judge whether a tool's result is true; with Grounded it
// judges whether the results support the answer.
//
// The tool "shell" is not a sandbox: its commands run as this program's user, and read and write what
// that user can. They have a working folder, an environment of their own, a timeout and, where set,
// limits of the system. On Linux what a command started ends with it, and Isolated takes the network
// away. On other systems processes in the background outlive their command.
//
// A call that a crash cut is made again, unless its tool has Once. A message in an Inbox that comes after
// a turn's last step waits for the next turn: nothing begins one.
package react
