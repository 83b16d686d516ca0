package rules

import (
	"assay/internal/facts"
	"assay/internal/lint"
)

// suppressionSource is where what these rules hold is written.
var suppressionSource = []facts.Source{{Title: "Assay, suppressing a finding", URL: "docs/lint.md", Date: "2026-11-30"}}

// suppressionRules are about comments and annotations that leave findings out; lint
// itself finds what they say, when all else was found.
var suppressionRules = []*lint.Rule{
	{
		ID: "suppression-without-reason", Severity: lint.Warning, Subject: lint.Input,
		Title:   "A finding is suppressed without a reason",
		Why:     "Nobody who comes later can tell whether it still may be. It suppresses nothing until a reason stands there.",
		Fix:     "Write the reason behind the rule: # assay:ignore RULE reason, or as the annotation's value.",
		Sources: suppressionSource,
	},
	{
		ID: "suppression-expired", Severity: lint.Warning, Subject: lint.Input,
		Title:   "A suppression has ended",
		Why:     "It was given a last day, which is past, or is no day: what it left out is reported again.",
		Fix:     "Mend what was suppressed, or decide again and write a later day.",
		Sources: suppressionSource,
	},
	{
		ID: "suppression-unused", Severity: lint.Info, Subject: lint.Input,
		Title:   "A suppression leaves nothing out",
		Why:     "What it was written for is mended, moved, or its rule has another name: it would hide the next one.",
		Fix:     "Take it out, or correct the rule's name.",
		Sources: suppressionSource,
	},
}
