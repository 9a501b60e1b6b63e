// Command weigh prints the weight of each library in the program, as Markdown.
//
//	go run ./release/weigh
//
// A library's weight is the size of everything that the linker would drop without it: its own code
// and data, and whatever only it uses. Weights do not add up to the whole, since code that two
// libraries use is part of neither weight. Tables of the runtime are counted in proportion to code.
// Weigh measures sizes in the binary, not memory or time.
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const (
	command  = "./cmd/agent"
	shown    = 0.2e6 // bytes: lighter modules are left out
	ownCode  = "example.com/assay/"
	firstSym = "_" // the linker's first symbol
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "weigh:", err)
		os.Exit(1)
	}
}

func run() (err error) {
	dir, err := os.MkdirTemp("", "assay-weigh")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	binary := filepath.Join(dir, "agent")
	edges, err := output("go", "build", "-trimpath", "-ldflags=-dumpdep", "-o", binary, command)
	if err != nil {
		return err
	}
	symbols, err := inFile(binary)
	if err != nil {
		return err
	}
	modules, err := output("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}{{end}}{{end}}", command)
	if err != nil {
		return err
	}
	if _, err := output("go", "build", "-trimpath", "-ldflags=-s -w", "-o", binary, command); err != nil {
		return err
	}
	info, err := os.Stat(binary)
	if err != nil {
		return err
	}
	g := newLinked(edges, symbols)
	scale := float64(info.Size()) / g.reached("")
	type weight struct {
		name  string
		bytes float64
	}
	all := []weight{{"Assay, its own symbols alone", g.sizeOf(ownCode) * scale}}
	names := strings.Fields(string(modules))
	slices.Sort(names)
	for _, m := range slices.Compact(names) {
		if w := float64(info.Size()) - g.reached(m)*scale; w >= shown {
			all = append(all, weight{m, w})
		}
	}
	slices.SortStableFunc(all[1:], func(x, y weight) int { return cmp.Compare(y.bytes, x.bytes) })
	fmt.Printf("The stripped command has %.1f MB.\n\n| module | MB |\n|---|---|\n", float64(info.Size())/1e6)
	for _, w := range all {
		fmt.Printf("| %s | %.1f |\n", w.name, w.bytes/1e6)
	}
	return nil
}

// output runs a program. The linker writes its graph to standard error.
func output(name string, args ...string) ([]byte, error) {
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH=amd64")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out.Bytes()[max(0, out.Len()-2000):])
	}
	return out.Bytes(), nil
}

// A linked program is the graph that the linker kept.
type linked struct {
	number map[string]int
	names  []string
	size   []float64
	uses   [][]int
}

// inFile returns the symbols of a Linux binary that take room in its file: all except variables that
// begin as zero.
func inFile(binary string) (_ []elf.Symbol, err error) {
	f, err := elf.Open(binary)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	all, err := f.Symbols()
	return slices.DeleteFunc(all, func(s elf.Symbol) bool {
		return int(s.Section) >= len(f.Sections) || f.Sections[s.Section].Type == elf.SHT_NOBITS
	}), err
}

func newLinked(edges []byte, symbols []elf.Symbol) *linked {
	g := &linked{number: map[string]int{}}
	lines := bufio.NewScanner(bytes.NewReader(edges))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		from, to, ok := strings.Cut(lines.Text(), " -> ")
		if ok {
			f, t := g.node(from), g.node(to)
			g.uses[f] = append(g.uses[f], t)
		}
	}
	for _, symbol := range symbols {
		g.size[g.node(symbol.Name)] = float64(symbol.Size)
	}
	return g
}

// node returns the number of a symbol. It removes the marks that the linker appends to some names,
// and writes a path's dots in the same way for both tools.
func (g *linked) node(name string) int {
	name = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSpace(name), " <ReflectMethod>"), " <UsedInIface>")
	name = strings.ReplaceAll(name, "%2e", ".")
	n, ok := g.number[name]
	if !ok {
		n = len(g.names)
		g.number[name] = n
		g.names, g.size, g.uses = append(g.names, name), append(g.size, 0), append(g.uses, nil)
	}
	return n
}

// reached is the size of the symbols that stay without a module; "" keeps all.
func (g *linked) reached(without string) float64 {
	seen := make([]bool, len(g.names))
	next := []int{g.node(firstSym)}
	var sum float64
	for len(next) > 0 {
		n := next[len(next)-1]
		next = next[:len(next)-1]
		if seen[n] || without != "" && of(g.names[n], without) {
			continue
		}
		seen[n] = true
		sum += g.size[n]
		next = append(next, g.uses[n]...)
	}
	return sum
}

// sizeOf is the size of the symbols whose path begins with prefix.
func (g *linked) sizeOf(prefix string) float64 {
	var sum float64
	for n, name := range g.names {
		if strings.HasPrefix(strings.TrimLeft(name, "*("), prefix) {
			sum += g.size[n]
		}
	}
	return sum
}

// of reports whether a symbol names a module: it belongs to the module, or has a type of it.
func of(symbol, module string) bool {
	at := strings.Index(symbol, module)
	if at < 0 {
		return false
	}
	after := symbol[at+len(module):]
	return after == "" || after[0] == '/' || after[0] == '.'
}
