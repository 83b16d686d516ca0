package cluster

import "time"

// The fields of the API's objects (core/v1) that are read, and no others: the
// full types would be the heaviest dependency of the program.

type meta struct {
	Name              string    `json:"name"`
	Namespace         string    `json:"namespace"`
	CreationTimestamp time.Time `json:"creationTimestamp"`
	DeletionTimestamp time.Time `json:"deletionTimestamp"`
}

type condition struct {
	Type               string    `json:"type"`
	Status             string    `json:"status"`
	Reason             string    `json:"reason"`
	Message            string    `json:"message"`
	LastTransitionTime time.Time `json:"lastTransitionTime"`
}

type pod struct {
	Metadata meta `json:"metadata"`
	Spec     struct {
		NodeName string `json:"nodeName"`
	} `json:"spec"`
	Status struct {
		Phase                 string      `json:"phase"`
		Reason                string      `json:"reason"`
		Message               string      `json:"message"`
		Conditions            []condition `json:"conditions"`
		InitContainerStatuses []container `json:"initContainerStatuses"`
		ContainerStatuses     []container `json:"containerStatuses"`
	} `json:"status"`
}

type container struct {
	Name         string `json:"name"`
	Ready        bool   `json:"ready"`
	RestartCount int    `json:"restartCount"`
	State        state  `json:"state"`
	LastState    state  `json:"lastState"`
}

type state struct {
	Waiting *struct {
		Reason  string `json:"reason"`
		Message string `json:"message"`
	} `json:"waiting"`
	Terminated *terminated `json:"terminated"`
}

type terminated struct {
	ExitCode   int       `json:"exitCode"`
	Reason     string    `json:"reason"`
	Message    string    `json:"message"`
	StartedAt  time.Time `json:"startedAt"`
	FinishedAt time.Time `json:"finishedAt"`
}

type node struct {
	Metadata meta `json:"metadata"`
	Spec     struct {
		Unschedulable bool    `json:"unschedulable"`
		Taints        []taint `json:"taints"`
	} `json:"spec"`
	Status struct {
		Conditions []condition `json:"conditions"`
	} `json:"status"`
}

type taint struct {
	Key       string    `json:"key"`
	Value     string    `json:"value"`
	Effect    string    `json:"effect"`
	TimeAdded time.Time `json:"timeAdded"`
}

type event struct {
	Metadata       meta `json:"metadata"`
	InvolvedObject struct {
		Kind      string `json:"kind"`
		Name      string `json:"name"`
		FieldPath string `json:"fieldPath"` // such as spec.containers{vllm}
	} `json:"involvedObject"`
	Reason        string    `json:"reason"`
	Message       string    `json:"message"`
	Type          string    `json:"type"`
	LastTimestamp time.Time `json:"lastTimestamp"`
	EventTime     time.Time `json:"eventTime"`
	Series        struct {
		LastObservedTime time.Time `json:"lastObservedTime"`
	} `json:"series"`
}

// at is when the event was last seen: which field holds it depends on who wrote it.
func (e event) at() time.Time {
	for _, t := range []time.Time{e.Series.LastObservedTime, e.LastTimestamp, e.EventTime} {
		if !t.IsZero() {
			return t
		}
	}
	return e.Metadata.CreationTimestamp
}

// conditionOf finds a condition by type.
func conditionOf(all []condition, kind string) (condition, bool) {
	for _, c := range all {
		if c.Type == kind {
			return c, true
		}
	}
	return condition{}, false
}
