package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"assay/internal/bench"
	"assay/internal/record"
	"assay/internal/record/peers"
	"assay/internal/report"
)

// isRunFolder reports a folder of assay bench.
func isRunFolder(path string) bool {
	_, err := os.Stat(filepath.Join(path, record.RunFile))
	return err == nil
}

// reportPeer shows another tool's result in one of the forms of a run.
func reportPeer(env *Env, path, form, out string) error {
	if slices.Contains(peers.Written, form) {
		return usagef("%s is another tool's file; -o %s is made of a run folder of assay bench alone", path, form)
	}
	if err := checkForm(form); err != nil {
		return err
	}
	file, err := peers.Open(path)
	if err != nil {
		return usage(err)
	}
	to := *env
	if out != "" {
		to.StdoutWidth = 0
	}
	var b bytes.Buffer
	if form == "html" {
		in := report.Input{Run: file.Run}
		if file.Gaps {
			in.Requests = file.EachRequest
		}
		err = report.HTML(&b, in)
	} else {
		err = renderRun(&to, &b, &file.Run, form)
	}
	if err != nil {
		return usage(err)
	}
	return printOrWrite(env, b.Bytes(), out)
}

// convertRun writes a run folder in another tool's format: one file to standard
// output or to --out, several into the folder that --out names.
func convertRun(env *Env, dir, tool, level, out string) error {
	folder, err := bench.Reopen(dir)
	if err != nil {
		return usage(err)
	}
	files, err := peers.Write(tool, folder, level)
	if err != nil {
		return usage(err)
	}
	if len(files) == 1 && !isFolder(out) {
		return printOrWrite(env, files[0].Data, out)
	}
	if out == "" {
		return &exitError{code: exitUsage, err: fmt.Errorf("%s in the format of %s is %d files: %s", dir, tool, len(files), fileNames(files)), hint: "name a folder for them with --out DIR"}
	}
	for _, f := range files {
		path := filepath.Join(out, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return impossible(err)
		}
		if err := record.WriteFile(path, f.Data); err != nil {
			return impossible(err)
		}
	}
	fmt.Fprintf(env.Stderr, "wrote %s in %s\n", fileNames(files), out)
	return nil
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return path != "" && err == nil && info.IsDir()
}

// fileNames are the first names, shortened.
func fileNames(files []peers.Output) string {
	const most = 5
	var names []string
	for i, f := range files {
		if i == most {
			return strings.Join(names, ", ") + fmt.Sprintf(" and %d more", len(files)-most)
		}
		names = append(names, f.Name)
	}
	return strings.Join(names, ", ")
}

// printOrWrite gives data to standard output or to a file.
func printOrWrite(env *Env, data []byte, out string) error {
	if out != "" {
		if err := record.WriteFile(out, data); err != nil {
			return impossible(err)
		}
		return nil
	}
	if _, err := env.Stdout.Write(data); err != nil {
		return impossible(err)
	}
	return nil
}
