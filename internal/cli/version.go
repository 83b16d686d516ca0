package cli

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// Version is set by the linker for a release; a build from a clone says its commit.
var Version = ""

// toolVersion is the release, or the commit of a build from a clone, or "dev".
func toolVersion() string {
	if Version != "" {
		return Version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "dev"
	}
	commit, dirty := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision" && len(s.Value) >= 12:
			commit = s.Value[:12]
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "+changes"
		}
	}
	if commit == "" {
		return "dev"
	}
	return "dev-" + commit + dirty
}

func newVersion(env *Env) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			switch output {
			case "text":
				fmt.Fprintf(env.Stdout, "assay %s (%s, %s/%s)\n", toolVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
				return nil
			case "json":
				return json.NewEncoder(env.Stdout).Encode(map[string]string{
					"version": toolVersion(), "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH,
				})
			default:
				return usagef("-o %s: version prints text or json", output)
			}
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "text", "text or json")
	return cmd
}

// noArgs is cobra.NoArgs with the exit code of wrong usage.
func noArgs(cmd *cobra.Command, args []string) error {
	if err := cobra.NoArgs(cmd, args); err != nil {
		return &exitError{code: exitUsage, err: err, hint: "see " + cmd.CommandPath() + " --help"}
	}
	return nil
}
