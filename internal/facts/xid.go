package facts

import "fmt"

// XID is one error code that NVIDIA's driver logs ("NVRM: Xid ... 79") and that
// DCGM publishes as the last one seen, DCGM_FI_DEV_XID_ERRORS.
type XID struct {
	Code    int
	Meaning string
	// Applies says on which GPUs the code occurs: "A100 and newer", "Blackwell"…
	// Older says what it meant on GPUs before Ampere (T4, V100), where that differs.
	Applies string
	Older   string

	Action string // NVIDIA's immediate action, by the name of its bucket; empty where none is stated
	Then   string // what NVIDIA asks for when that did not help

	// Reason is the word of the EKS node monitoring agent: the reason of the
	// condition AcceleratedHardwareReady where Condition is true, else the first
	// word of an event's message. Empty where the code is none.
	Reason    string
	Condition bool
	OnEKS     string // what happens on EKS by itself, and what is left to do

	Severity XIDSeverity
	Fatal    bool // a GPU that reported it cannot be trusted for a measurement

	Source    Source
	EKSSource Source // of Reason, Condition and OnEKS
	AsOf      string // YYYY-MM-DD
}

// XIDSeverity says who has to hear of a code, and how soon. It is Assay's
// judgement, from NVIDIA's action and from what the EKS agent makes of it.
type XIDSeverity string

// Severities, gravest first.
const (
	XIDPage   XIDSeverity = "page"   // the GPU is of no use until it is reset or replaced
	XIDTicket XIDSeverity = "ticket" // a process was lost, or the hardware gets worse
	XIDInfo   XIDSeverity = "info"   // nothing to do
)

// Actions of NVIDIA's catalogue.
const (
	ResetGPU         = "RESET_GPU"
	RestartApp       = "RESTART_APP"
	RestartBM        = "RESTART_BM" // the machine, power included
	RestartVM        = "RESTART_VM"
	ContactSupport   = "CONTACT_SUPPORT"
	Ignore           = "IGNORE"
	CheckMechanicals = "CHECK_MECHANICALS"
	CheckUVM         = "CHECK_UVM"
	UpdateSoftware   = "UPDATE_SWFW"
	WorkflowXID45    = "WORKFLOW_XID_45"
	WorkflowXID48    = "WORKFLOW_XID_48"
	WorkflowNVLink   = "WORKFLOW_NVLINK_ERR"
	WorkflowNVLink5  = "WORKFLOW_NVLINK5_ERR"
	FollowXID154     = "XID_154"
)

// XIDActions says in words what each action asks for.
var XIDActions = map[string]string{
	ResetGPU:         "end all processes on the GPU and reset it; if the error comes back, reboot the node; if it still does, replace the hardware",
	RestartApp:       "restart the process that met it; the GPU itself goes on",
	RestartBM:        "power-cycle the machine: the GPU does not answer on PCIe any more",
	RestartVM:        "restart the virtual machine",
	ContactSupport:   "no recovery is known: the vendor has to look at it",
	Ignore:           "nothing has to be done at once",
	CheckMechanicals: "check the board's power connectors and its seat",
	CheckUVM:         "see what the unified memory driver logged beside it",
	UpdateSoftware:   "update the driver or the firmware",
	WorkflowXID45:    "follow the other code that is logged beside it; alone, restart the fabric manager",
	WorkflowXID48:    "reset the GPU, then see whether its SRAM error threshold is exceeded: if so, run field diagnostics",
	WorkflowNVLink:   "reset the GPU or reboot the node; see nvidia-smi nvlink for the link; replace the hardware if it comes back",
	WorkflowNVLink5:  "decode the registers of the kernel's line: the action depends on them, and XID 154 states it",
	FollowXID154:     "the kernel's line states the action itself: none, drain peer-to-peer, drain and reset, GPU reset, or node reboot",
}

// XIDOf finds a code.
func XIDOf(code int) (XID, bool) {
	if code < 0 || code >= len(XIDs) {
		return XID{}, false
	}
	return XIDs[code], true
}

// XIDs holds all codes of NVIDIA's catalogue, each at its own index.
var XIDs = func() []XID {
	all := make([]XID, len(xidTable))
	for i, row := range xidTable {
		all[i] = row.xid(i)
	}
	return all
}()

// xidRow is a line of the table: what does not follow from the rest.
type xidRow struct {
	meaning  string
	applies  string
	older    string
	action   string
	then     string
	severity XIDSeverity
	fatal    bool
	note     string // added to OnEKS
}

func (r xidRow) xid(code int) XID {
	x := XID{
		Code: code, Meaning: r.meaning, Applies: r.applies, Older: r.older,
		Action: r.action, Then: r.then, Severity: r.severity, Fatal: r.fatal,
		Source: xidCatalogue, EKSSource: xidOnEKS, AsOf: readOn,
	}
	if r.applies == "none" {
		x.Source = xidOlder
	}
	if code == 0 {
		x.OnEKS = r.note
		return x
	}
	repair, condition := xidConditions[code]
	x.Condition = condition
	x.Reason = fmt.Sprintf("NvidiaXID%dWarning", code)
	if condition {
		x.Reason = fmt.Sprintf("NvidiaXID%dError", code)
	}
	x.OnEKS = onEKS(x, repair)
	if r.note != "" {
		x.OnEKS += " " + r.note
	}
	return x
}

// onEKS says what the node monitoring agent and node auto repair do. Repair is
// what a managed node group does by default; Auto Mode and Karpenter replace.
func onEKS(x XID, repair string) string {
	if x.Condition {
		if repair != replaces {
			repair += " it, as Karpenter 1.15 and later may with the feature gate RebootForRepair"
		} else {
			repair += " it"
		}
		return fmt.Sprintf("The node monitoring agent sets AcceleratedHardwareReady=False with reason %s. "+
			"Node auto repair, where it is on, acts after 10 minutes: EKS Auto Mode and Karpenter replace the node, a managed node group %s. "+
			"Without it: cordon and drain the node, then terminate the instance.", x.Reason, repair)
	}
	s := fmt.Sprintf("The node monitoring agent writes an event of the node (AcceleratedHardwareReady, its message begins with %s); no repair follows.", x.Reason)
	switch {
	case x.Fatal:
		s += " Cordon and drain the node, then terminate the instance."
	case x.Action == RestartApp:
		s += " Restart the pod that met it, unless its liveness probe has. If codes of this kind come back on the same node whatever runs there, drain and replace it."
	case x.Action == WorkflowNVLink5:
		s += " Drain and replace the node if XID 154 asks for a reset or a reboot, or if the code comes back."
	case x.Severity == XIDTicket:
		s += " Drain and replace the node when convenient if it comes back."
	}
	return s
}
