package main

import (
	"bufio"
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// streams are the objects of a service, of built-in kinds and of custom ones, and those
// of the nodes that a team's services share.
//
//go:embed service.yaml custom.yaml pool.yaml
var streams embed.FS

// team is how many services share a namespace and a NodePool.
const team = 10

// write makes objects of services with few faults, as a repository has them: a file for
// each in many, all in one stream, and files of built-in kinds alone in same.
func write(many, stream, same string, objects, common int) error {
	of := map[string][]string{}
	for _, name := range []string{"service", "custom", "pool"} {
		body, err := streams.ReadFile(name + ".yaml")
		if err != nil {
			return err
		}
		of[name] = strings.Split(string(body), "---\n")[1:]
	}
	if err := os.MkdirAll(stream, 0o755); err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(stream, "all.yaml"))
	if err != nil {
		return err
	}
	defer f.Close()
	b := bufio.NewWriter(f)
	all := func(service int) []string {
		docs := append(of["service"][:len(of["service"]):len(of["service"])], of["custom"]...)
		if service%team == 0 {
			docs = append(docs, of["pool"]...)
		}
		return docs
	}
	if err := fill(many, all, objects, b); err != nil {
		return err
	}
	if err := b.Flush(); err != nil {
		return err
	}
	return fill(same, func(int) []string { return of["service"] }, common, nil)
}

// fill writes so many objects below a folder, and into a stream where there is one.
func fill(dir string, of func(service int) []string, objects int, stream *bufio.Writer) error {
	for service := 0; objects > 0; service++ {
		space := fmt.Sprintf("team-%d", service/team)
		folder := filepath.Join(dir, space, fmt.Sprintf("service-%d", service))
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		grace := "120"
		if service%20 == 0 {
			grace = "30" // shorter than the drain: a fault in one of twenty
		}
		named := strings.NewReplacer("NAMESPACE", space, "GRACE", grace, "NUMBER", fmt.Sprint(service))
		for i, doc := range of(service) {
			if objects--; objects < 0 {
				return nil
			}
			text := named.Replace(doc)
			if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%02d.yaml", i)), []byte(text), 0o644); err != nil {
				return err
			}
			if stream != nil {
				stream.WriteString("---\n" + text)
			}
		}
	}
	return nil
}
