// Command assay measures, plans, renders, lints and diagnoses inference on
// Kubernetes. See internal/cli for its commands.
package main

import (
	"os"

	"assay/internal/cli"
)

func main() {
	os.Exit(cli.Main(cli.System()))
}
