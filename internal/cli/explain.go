package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"assay/internal/explain"
	"assay/internal/report"
)

func newExplain(env *Env) *cobra.Command {
	var output string
	own := &lintFlags{}
	cmd := &cobra.Command{
		Use:   "explain [TOPIC]",
		Short: "Say what a metric, an alert, an XID, a verdict or a term means, and what to do",
		Long: `Say what a name means, and what to do: a metric of any engine or exporter, by an
old name or a new one; a quantity; an alert; an XID; a clock-event reason; what
limits a service (kv-cache, admission…); a threshold of a verdict; a rule of assay
lint; a term such as TTFT or knee. Without a topic it lists all.`,
		Example: `  assay explain vllm:gpu_cache_usage_perc
  assay explain xid 79
  assay explain 0x40                      a bit of DCGM_FI_DEV_CLOCKS_EVENT_REASONS
  assay explain kv-cache
  assay explain grace-shorter-than-drain
  assay explain FB_USED -o markdown`,
		ValidArgsFunction: func(_ *cobra.Command, args []string, begin string) ([]string, cobra.ShellCompDirective) {
			return topicsFrom(args, begin), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return listTopics(env, output)
			}
			return explainTopic(env, strings.Join(args, " "), output, own)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "text", "text, json, yaml or markdown")
	cmd.Flags().StringSliceVar(&own.rules, "rules", nil, "files of own rules of assay lint, which are topics too")
	return cmd
}

func explainTopic(env *Env, name, form string, own *lintFlags) error {
	if err := checkExplainForm(form); err != nil {
		return err
	}
	page, err := own.topic(name)
	if err != nil {
		return usage(err)
	}
	switch form {
	case "json":
		return writeJSON(env.Stdout, page)
	case "yaml":
		return writeYAML(env.Stdout, page)
	case "markdown":
		return report.ExplainMarkdown(env.Stdout, page)
	}
	return report.Explain(env.Stdout, page, textOptions(env))
}

func listTopics(env *Env, form string) error {
	if err := checkExplainForm(form); err != nil {
		return err
	}
	groups := explain.Topics()
	switch form {
	case "json":
		return writeJSON(env.Stdout, groups)
	case "yaml":
		return writeYAML(env.Stdout, groups)
	case "markdown":
		return report.ExplainTopicsMarkdown(env.Stdout, groups)
	}
	return report.ExplainTopics(env.Stdout, groups, textOptions(env))
}

func checkExplainForm(form string) error {
	switch form {
	case "text", "json", "yaml", "markdown":
		return nil
	}
	return usagef("-o %s: a topic is explained as text, json, yaml or markdown", form)
}

// topicsFrom are the topics of one word that begin so.
func topicsFrom(args []string, begin string) []string {
	if len(args) > 0 {
		return nil
	}
	var names []string
	for _, g := range explain.Topics() {
		for _, name := range g.Topics {
			if strings.HasPrefix(name, begin) && !strings.Contains(name, " ") {
				names = append(names, name)
			}
		}
	}
	return names
}
