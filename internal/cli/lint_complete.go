package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"assay/internal/lint/rules"
)

// completeLint lets a shell complete the flags of assay lint that take names.
func completeLint(cmd *cobra.Command) {
	for flag, words := range map[string][]string{
		"output":  {"text", "json", "yaml", "sarif", "junit", "github", "markdown"},
		"fail-on": {"error", "warning", "info"},
	} {
		mustComplete(cmd, flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
	}
	for _, flag := range []string{"enable", "disable"} {
		mustComplete(cmd, flag, func(_ *cobra.Command, _ []string, begin string) ([]string, cobra.ShellCompDirective) {
			return ruleNames(begin), cobra.ShellCompDirectiveNoFileComp
		})
	}
}

func mustComplete(cmd *cobra.Command, flag string, by cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, by); err != nil {
		panic(err) // there is no such flag
	}
}

// ruleNames are the rules that a list may go on with: what stands before its last comma
// is kept.
func ruleNames(list string) []string {
	kept := list[:strings.LastIndexByte(list, ',')+1]
	var names []string
	for _, r := range rules.All() {
		if name := kept + r.ID; strings.HasPrefix(name, list) && !strings.Contains(","+kept, ","+r.ID+",") {
			names = append(names, name)
		}
	}
	return names
}
