package document

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Programs that read a scan: one draws its pages, the other finds the letters.
const (
	drawProgram    = "pdftoppm"
	lettersProgram = "tesseract"
)

const (
	scanSide     = 2400 // pixels of a page's longer side: 200 dots an inch for A4
	scanFailures = 3    // pages in a row that a program fails at, before it is not asked again
	longestScan  = 2000 // pages
)

// scanReader names the programs on this machine that read scans, with their versions.
// It is empty where one of them is missing.
func scanReader(ctx context.Context) string {
	letters, draw := programVersion(ctx, lettersProgram), programVersion(ctx, drawProgram)
	if letters == "" || draw == "" {
		return ""
	}
	return letters + ", " + draw
}

// missingForScans lists the programs to install so that scans can be read.
func missingForScans() string {
	var out []string
	for _, p := range []struct{ program, where string }{{lettersProgram, "tesseract-ocr"}, {drawProgram, "poppler-utils"}} {
		if _, err := exec.LookPath(p.program); err != nil {
			out = append(out, fmt.Sprintf("%s (package %s)", p.program, p.where))
		}
	}
	return strings.Join(out, " and ")
}

// CurrentReader reports whether the named program (Document.Reader) is the one that would read its
// file on this machine now. Another one may extract other text.
func CurrentReader(ctx context.Context, name string) bool {
	return name == fallbackReader(ctx) || name == scanReader(ctx)
}

// readScan renders the pages of a PDF and recognises their letters. If the programs are missing
// there are no pages and no error. Each page has the time limit of a PDF.
func readScan(ctx context.Context, raw []byte, o LoadOptions) (pages []pdfPage, err error) {
	if missingForScans() != "" {
		return nil, nil
	}
	dir, err := os.MkdirTemp("", "assay-scan-*")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	file := filepath.Join(dir, "scan.pdf")
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		return nil, err
	}
	failed := 0
	for n := 1; n <= longestScan && failed < scanFailures; n++ {
		text, last, err := readScanned(ctx, file, n, o.PDFTimeout)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case last:
			return pages, nil
		case err != nil:
			failed++
		default:
			failed = 0
		}
		pages = append(pages, pageOf(text))
	}
	return pages, nil
}

// readScanned reads a page by its number, from 1; last reports that there is no such page.
func readScanned(ctx context.Context, file string, n int, limit time.Duration) (text string, last bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	picture := filepath.Join(filepath.Dir(file), "page")
	page := fmt.Sprint(n)
	draw := exec.CommandContext(ctx, drawProgram, "-f", page, "-l", page, "-singlefile", "-gray", "-scale-to", fmt.Sprint(scanSide), file, picture)
	draw.WaitDelay = time.Second
	drawn := draw.Run()
	picture += ".pgm"
	if _, err := os.Stat(picture); errors.Is(err, os.ErrNotExist) && ctx.Err() == nil {
		return "", true, drawn
	}
	letters := exec.CommandContext(ctx, lettersProgram, picture, "stdout")
	letters.WaitDelay = time.Second
	var out bytes.Buffer
	letters.Stdout = &out
	err = errors.Join(drawn, letters.Run(), os.Remove(picture))
	text = wellFormed(out.String())
	return strings.Trim(text, "\f\n"), false, err
}
