package rules

import (
	"slices"
	"sync"

	"assay/internal/lint"
)

// All are the rules, by subject.
var All = sync.OnceValue(func() []*lint.Rule {
	return slices.Concat(
		inputRules,
		schemaRules,
		drainRules,
		balancerRules,
		spreadRules,
		probeRules,
		gpuRules,
		vllmRules,
		suppressionRules,
		networkRules,
		secretRules,
		imageRules,
		dockerfileRules,
		monitoringRules,
		storageRules,
		karpenterRules,
		acrossRules,
	)
})
