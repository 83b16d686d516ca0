package facts

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestXIDsAreWholeAndSourced(t *testing.T) {
	if len(XIDs) != 173 {
		t.Fatalf("%d codes, the catalogue has 0 to 172", len(XIDs))
	}
	for i, x := range XIDs {
		if x.Code != i {
			t.Errorf("at %d stands code %d", i, x.Code)
		}
		if x.Meaning == "" || x.Applies == "" || x.OnEKS == "" {
			t.Errorf("%d: %+v says too little", i, x)
		}
		if x.Action != "" && XIDActions[x.Action] == "" {
			t.Errorf("%d: action %q has no words", i, x.Action)
		}
		if _, err := time.Parse(time.DateOnly, x.AsOf); err != nil || !strings.HasPrefix(x.Source.URL, "https://") {
			t.Errorf("%d: source %+v, as of %q", i, x.Source, x.AsOf)
		}
	}
}

func TestXIDSeverityFollowsTheAction(t *testing.T) {
	used := map[string]bool{"": true}
	for _, x := range XIDs {
		used[x.Action] = true
		switch x.Action {
		case ResetGPU, RestartBM, RestartVM, WorkflowXID48, WorkflowNVLink, CheckMechanicals:
			if x.Severity != XIDPage || !x.Fatal {
				t.Errorf("%d asks for %s and is %s, fatal %v", x.Code, x.Action, x.Severity, x.Fatal)
			}
		case RestartApp:
			if x.Severity != XIDTicket || x.Fatal {
				t.Errorf("%d is a matter of one process and is %s, fatal %v", x.Code, x.Severity, x.Fatal)
			}
		case Ignore:
			if x.Severity == XIDPage {
				t.Errorf("%d may be ignored and pages", x.Code)
			}
		}
		if x.Severity == XIDPage && !x.Fatal {
			t.Errorf("%d pages, and its GPU is said to be fit for measurements", x.Code)
		}
		if x.Severity != XIDPage && x.Severity != XIDTicket && x.Severity != XIDInfo {
			t.Errorf("%d: severity %q", x.Code, x.Severity)
		}
		if x.Severity == XIDInfo && (x.Fatal || x.Condition) {
			t.Errorf("%d is information, yet fatal %v, a node condition %v", x.Code, x.Fatal, x.Condition)
		}
	}
	for action := range XIDActions {
		if !used[action] {
			t.Errorf("no code asks for %s", action)
		}
	}
}

// The agent makes a condition only of codes that its own list names.
func TestXIDConditionsOfTheEKSAgent(t *testing.T) {
	n := 0
	for _, x := range XIDs[1:] {
		kind := "Warning"
		if x.Condition {
			n++
			kind = "Error"
			if !strings.Contains(x.OnEKS, "AcceleratedHardwareReady=False") {
				t.Errorf("%d: %s", x.Code, x.OnEKS)
			}
		}
		if want := fmt.Sprintf("NvidiaXID%d%s", x.Code, kind); x.Reason != want || !strings.Contains(x.OnEKS, want) {
			t.Errorf("%d: reason %s, want %s in %q", x.Code, x.Reason, want, x.OnEKS)
		}
	}
	if n != 21 {
		t.Errorf("%d conditions, the agent has 21", n)
	}
}

func TestXIDOf(t *testing.T) {
	for code, want := range map[int]string{79: RestartBM, 48: WorkflowXID48, 31: RestartApp, 63: Ignore, 151: RestartVM, 54: CheckMechanicals, 142: ContactSupport, 144: WorkflowNVLink5, 167: ""} {
		if x, ok := XIDOf(code); !ok || x.Code != code || x.Action != want {
			t.Errorf("XIDOf(%d) = %+v, %v; want action %q", code, x, ok, want)
		}
	}
	for _, code := range []int{-1, 173, 1 << 30} {
		if x, ok := XIDOf(code); ok {
			t.Errorf("XIDOf(%d) = %+v", code, x)
		}
	}
	// The meaning of these two depends on the generation.
	for _, code := range []int{63, 64} {
		if x, _ := XIDOf(code); !strings.Contains(x.Meaning, "row") || !strings.Contains(x.Older, "page") {
			t.Errorf("%d: %q, older %q", code, x.Meaning, x.Older)
		}
	}
}
