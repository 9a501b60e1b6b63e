package mcp_test

import (
	"context"
	"fmt"
	"io"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/assay/serve/mcp"
)

// A program offers a function to assistants. Here a client of the SDK takes their place.
func Example() {
	type word struct {
		Word string `json:"word" jsonschema:"what is to be spelt"`
	}
	type spelt struct {
		Letters []string `json:"letters"`
	}
	spell := mcp.NewTool(mcp.About{Name: "spell", Description: "Spells a word."}, func(_ context.Context, _ *mcp.Call, in word) (spelt, error) {
		if in.Word == "" {
			return spelt{}, fmt.Errorf("the word is empty: give one")
		}
		return spelt{strings.Split(in.Word, "")}, nil
	})
	m, err := mcp.New(mcp.Options{Name: "speller", Tools: []mcp.Tool{spell}})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	served := make(chan error, 1)
	go func() { served <- m.Serve(ctx, "default", in, out) }() // or with os.Stdin and os.Stdout

	client, err := sdk.NewClient(&sdk.Implementation{Name: "example"}, nil).Connect(ctx, &sdk.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, w := range []string{"cat", ""} {
		res, err := client.CallTool(ctx, &sdk.CallToolParams{Name: "spell", Arguments: word{w}})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(res.Content[0].(*sdk.TextContent).Text)
	}
	fmt.Println(client.Close(), <-served)
	// Output:
	// {"letters":["c","a","t"]}
	// the word is empty: give one
	// <nil> <nil>
}
