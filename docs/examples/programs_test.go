package examples

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// programs are the files of the systems that langgraph.md compares. A part of a file is a program.
var programs = []struct {
	system, file, parts string
}{
	{"this engine", "../../graph/example_programs_test.go", `(?m)^func Example_(\w+)\(\) \{$`},
	{"LangGraph", "../performance/langgraph/programs.py", `(?m)^# Program: (\w+)$`},
	{"eino", "../performance/programs_test.go", `(?m)^func Example_(\w+)\(\) \{$`},
}

// TestPrograms compares langgraph.md with the programs: our code, the lines of each, and the names
// of the library. It misses a method or a field that a list leaves out.
func TestPrograms(t *testing.T) {
	paste(t, "../langgraph.md", nil, nil)
	row := regexp.MustCompile(`(?m)^\| (\w+) \| \[(.+?)\]\(.+?\) \| (\d+) \| (\d+): (.+) \|$`)
	rows := row.FindAllStringSubmatch(read(t, "../langgraph.md"), -1)
	if len(rows) != 9 {
		t.Fatalf("the table has %d rows of programs, not 9", len(rows))
	}
	for _, s := range programs {
		text := read(t, s.file)
		starts := regexp.MustCompile(s.parts).FindAllStringSubmatchIndex(text, -1)
		for i, at := range starts {
			body := text[at[1]:]
			if i+1 < len(starts) {
				body = text[at[1]:starts[i+1][0]]
			}
			name := text[at[2]:at[3]]
			n := slices.IndexFunc(rows, func(r []string) bool { return r[1] == name && r[2] == s.system })
			if n < 0 {
				t.Errorf("no row for the %s program of %s", name, s.system)
				continue
			}
			code := codeLines(body)
			if shown := fmt.Sprint(len(code)); rows[n][3] != shown {
				t.Errorf("%s in %s: the page says %s lines, it has %s", name, s.system, rows[n][3], shown)
			}
			names := strings.Split(strings.ReplaceAll(rows[n][5], "`", ""), ", ")
			if fmt.Sprint(len(names)) != rows[n][4] {
				t.Errorf("%s in %s: the page says %s names and lists %d", name, s.system, rows[n][4], len(names))
			}
			listed := map[string]bool{}
			for _, name := range names {
				last := name[strings.LastIndex(name, ".")+1:]
				listed[last] = true
				if !regexp.MustCompile(`\b` + last + `\b`).MatchString(strings.Join(code, "\n")) {
					t.Errorf("%s in %s: the page lists %s, which the program does not have", rows[n][1], s.system, name)
				}
			}
			for _, m := range regexp.MustCompile(`\b(?:graph|memory|compose)\.(\w+)`).FindAllStringSubmatch(strings.Join(code, "\n"), -1) {
				if !listed[m[1]] {
					t.Errorf("%s in %s: the page does not list %s", rows[n][1], s.system, m[0])
				}
			}
		}
	}
}

// codeLines leaves out blank lines, comments, imports, and the brace that ends the example.
func codeLines(body string) []string {
	body = strings.Replace(body, "\n}\n", "\n", 1)
	return slices.DeleteFunc(strings.Split(body, "\n"), func(line string) bool {
		line = strings.TrimSpace(line)
		return line == "" || regexp.MustCompile(`^(//|#|from |import )`).MatchString(line)
	})
}
