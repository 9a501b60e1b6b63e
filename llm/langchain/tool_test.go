package langchain_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"example.com/assay/llm/langchain"
)

// upper is a tool of langchaingo: it has the methods of tools.Tool.
type upper struct{ name, description string }

func (u upper) Name() string        { return u.name }
func (u upper) Description() string { return u.description }
func (u upper) Call(_ context.Context, input string) (string, error) {
	if input == "" {
		return "", errors.New("nothing to write")
	}
	return strings.ToUpper(input), nil
}

func ExampleTool() {
	shout, err := langchain.Tool(upper{"Upper Case", "Writes a text in capital letters."})
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := shout.Call(context.Background(), json.RawMessage(`{"input":"stop"}`))
	fmt.Println(shout.Tool().Name, string(result), err)
	// Output: Upper_Case "STOP" <nil>
}

func TestTool(t *testing.T) {
	made, err := langchain.Tool(upper{"Größe/1", "Says."})
	if err != nil {
		t.Fatal(err)
	}
	described := made.Tool()
	if described.Name != "Gr__e_1" || described.Description != "Says." || !strings.Contains(string(described.Parameters), `"required":["input"]`) {
		t.Errorf("described as %+v with %s", described, described.Parameters)
	}
	if _, err := made.Call(t.Context(), json.RawMessage(`{"input":""}`)); err == nil || !strings.Contains(err.Error(), "nothing to write") {
		t.Errorf("an error of the tool: %v", err)
	}
	for name, bad := range map[string]upper{"no name": {"", "Says."}, "long name": {strings.Repeat("n", 65), "Says."}, "no description": {"n", " "}} {
		if _, err := langchain.Tool(bad); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
	if _, err := langchain.Tool(nil); err == nil {
		t.Error("nothing was taken for a tool")
	}
}
