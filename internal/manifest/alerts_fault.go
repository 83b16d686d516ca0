package manifest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"assay/internal/facts"
)

// gpuFaultGroup is what breaks: errors that a GPU reports of itself.
func gpuFaultGroup() Group {
	of := func(field string) string { return fmt.Sprintf("max by (%s) (%s %s)", board, field, notBlank) }
	kind := func(field, kind string) string {
		return fmt.Sprintf(`label_replace(%s, "kind", %q, "", "")`, of(field), kind)
	}
	return Group{
		Name: "assay-gpu-faults",
		Records: []Record{
			{"assay:gpu_xid:last", fmt.Sprintf("count_values by (%s) (\n  \"xid\",\n  %s\n)", board, of("DCGM_FI_DEV_XID_ERRORS")), "the last code as a label, of the GPU itself: it outlives the pod that met it"},
			{"assay:gpu_double_bit:count", of("DCGM_FI_DEV_ECC_DBE_VOL_TOTAL"), "as before, of the GPU itself"},
			{"assay:gpu_remapped_rows:count", of("DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS"), ""},
			{"assay:gpu_nvlink_recovery:count", of("DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL"), ""},
			{"assay:gpu_nvlink_errors:count", strings.Join([]string{
				kind("DCGM_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL", "replay"),
				kind("DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL", "flit"),
				kind("DCGM_FI_DEV_NVLINK_CRC_DATA_ERROR_COUNT_TOTAL", "data"),
			}, "\nor "), "by kind: a GPU or a counter list may have some of them alone"},
		},
		Alerts: []Alert{
			xidCritical(), xidWarning(), doubleBit(), remapFailure(), remapPending(), rowsRemapped(),
			nvlinkRecovery(), nvlinkErrors(), nodeUnhealthy(),
		},
	}
}

// xidCodes are the codes of one severity, ascending.
func xidCodes(severity facts.XIDSeverity) []string {
	var codes []string
	for _, x := range facts.XIDs {
		if x.Severity == severity {
			codes = append(codes, strconv.Itoa(x.Code))
		}
	}
	return codes
}

// xid names the code and how often it was counted.
const xid = "XID {{ $labels.xid }} (count {{ $value }})"

// counted is the exporter's count of codes, of the GPU itself.
func counted(codes string) string {
	return fmt.Sprintf("max by (%s, xid) (max_over_time(DCGM_EXP_XID_ERRORS_COUNT{%s}[%%s])) > 0", board, codes)
}

func xidCritical() Alert {
	codes := fmt.Sprintf("xid=~%q", strings.Join(xidCodes(facts.XIDPage), "|"))
	return Alert{
		Name:        "GPUXIDCritical",
		Expr:        fmt.Sprintf("max_over_time(assay:gpu_xid:last{%s}[1h])\nor\n"+counted(codes), codes, "1h"),
		Severity:    Critical,
		Summary:     "A GPU reports an error that it does not recover from by itself",
		Description: where + " reports " + xid + ".",
		Meaning: text("The driver has logged an XID after which the GPU is not to be used until it is reset, or replaced.",
			"The gauge holds the last code and keeps it until the driver is loaded again: it is a state, and stays until the node is dealt with.",
			"A code that another has taken the place of (45 follows many) stays for an hour."),
		Steps: []string{
			"`assay explain xid CODE` says what the code means, NVIDIA's action, and what to do on EKS.",
			"Cordon the node and move the work. On EKS the node monitoring agent sets AcceleratedHardwareReady to false, and auto repair replaces the node after ten minutes.",
			"Keep the log of the kernel (nvidia-bug-report.sh) if it is your own hardware.",
		},
		Needs: []string{"DCGM_EXP_XID_ERRORS_COUNT"},
		Level: "codes of severity page in the table of XIDs, after NVIDIA's catalogue and the EKS node monitoring agent",
	}
}

func xidWarning() Alert {
	codes := fmt.Sprintf("xid!~%q", strings.Join(slices.Concat([]string{"", "0"}, xidCodes(facts.XIDPage), xidCodes(facts.XIDInfo)), "|"))
	return Alert{
		Name: "GPUXIDWarning",
		Expr: fmt.Sprintf(counted(codes)+`
or
(
  assay:gpu_xid:last{%s}
  unless on (UUID) DCGM_EXP_XID_ERRORS_COUNT
  and on (UUID) count by (UUID) (count_over_time(assay:gpu_xid:last[1h])) > 1
)`, "5m", codes),
		Severity:    Warning,
		Summary:     "A GPU reports an error that cost a process, or foretells worse",
		Description: where + " reports " + xid + ".",
		Meaning: text("The driver has logged an XID that ended a process or says that the hardware gets worse; the GPU itself goes on.",
			"13, 31 and 43 come mostly from the program, not from the GPU. Codes that the table does not know are here too.",
			"Where only the last code is published it counts for an hour from its change, since it stays there for good;",
			"one that was there when the exporter or Prometheus started is not counted."),
		Steps: []string{
			"`assay explain xid CODE` says what the code means, NVIDIA's action, and what to do on EKS.",
			"Restart the pod that met it, if its probes have not.",
			"Again on the same GPU with other work: drain and replace the node.",
		},
		Needs: []string{"DCGM_EXP_XID_ERRORS_COUNT"},
		Level: "all other codes but those of severity info",
	}
}

func doubleBit() Alert {
	return Alert{
		Name:        "GPUDoubleBitErrors",
		Expr:        "increase(assay:gpu_double_bit:count[1h]) > 0",
		Severity:    Critical,
		Summary:     "A GPU has memory errors that ECC cannot correct",
		Description: where + " had {{ $value | humanize }} double-bit errors in the last hour.",
		Meaning:     "Data was lost: the process that held it is ended (XID 48, 94 or 95), and the row is replaced when the GPU is reset.",
		Steps: []string{
			"Move the work and reset the GPU, on EC2 by replacing the instance.",
			"Look at GPURowRemapPending and GPURowRemapFailure: the second is a case for the vendor.",
		},
		Needs: []string{"DCGM_FI_DEV_ECC_DBE_VOL_TOTAL"},
		Level: "any",
	}
}

func remapFailure() Alert {
	return Alert{
		Name:        "GPURowRemapFailure",
		Expr:        "DCGM_FI_DEV_ROW_REMAP_FAILURE > 0 " + notBlank,
		Severity:    Critical,
		Summary:     "A GPU has no spare memory row left",
		Description: where + " could not replace a bad memory row (value {{ $value }}).",
		Meaning:     "The spare rows of a bank are used up. The next error in it is not mended: the GPU is due for replacement.",
		Steps:       []string{"Cordon the node, move the work, and replace the instance or have the GPU replaced."},
		Level:       "a state",
	}
}

func remapPending() Alert {
	return Alert{
		Name: "GPURowRemapPending",
		Expr: "DCGM_FI_DEV_ROW_REMAP_PENDING > 0 " + notBlank,
		For:  "5m", Severity: Warning,
		Summary:     "A GPU waits for a reset to replace a memory row",
		Description: where + " will replace a memory row when it is reset (value {{ $value }}).",
		Meaning:     "An uncorrectable error was found and its row is marked; until the reset the bad row stays in use.",
		Steps:       []string{"Drain the node when it suits, and reset the GPU or replace the instance."},
		Needs:       []string{"DCGM_FI_DEV_ROW_REMAP_PENDING"},
		Level:       "a state",
	}
}

func rowsRemapped() Alert {
	return Alert{
		Name:        "GPURowsRemapped",
		Expr:        "increase(assay:gpu_remapped_rows:count[1d]) > 0",
		Severity:    Warning,
		Summary:     "A GPU has replaced memory rows after errors",
		Description: where + " has replaced {{ $value | humanize }} memory rows for uncorrectable errors in the last day.",
		Meaning:     "The row is mended and the GPU is fine. Many in a short time foretell a failure.",
		Steps:       []string{"Note it. If it comes again within weeks, replace the node before it fails."},
		Level:       "any",
	}
}

func nvlinkRecovery() Alert {
	return Alert{
		Name:        "GPUNVLinkRecovery",
		Expr:        "increase(assay:gpu_nvlink_recovery:count[15m]) > 0",
		Severity:    Warning,
		Summary:     "An NVLink had to be brought up again",
		Description: where + " brought an NVLink up again {{ $value | humanize }} times in 15 minutes.",
		Meaning:     "The link was down for a moment. Collectives over it stop and go on, or fail; XID 74 comes with the worse cases.",
		Steps:       []string{"nvidia-smi nvlink -e on the node names the link.", "If it comes again, drain and replace the node."},
		Needs:       []string{"DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL"},
		Level:       "any",
	}
}

func nvlinkErrors() Alert {
	return Alert{
		Name: "GPUNVLinkErrors",
		Expr: fmt.Sprintf("sum by (%s) (increase(assay:gpu_nvlink_errors:count[15m])) > 0", board),
		For:  "1h", Severity: Warning,
		Summary:     "An NVLink has had errors for an hour",
		Description: where + " had {{ $value | humanize }} replays and checksum errors on its NVLinks in 15 minutes, and in each quarter of the last hour.",
		Meaning:     "Single errors are sent again and cost nothing. A link that has them all the time is slow, and fails in the end.",
		Steps:       []string{"nvidia-smi nvlink -e on the node names the link.", "Drain and replace the node when it suits."},
		Needs: []string{"DCGM_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL", "DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL",
			"DCGM_FI_DEV_NVLINK_CRC_DATA_ERROR_COUNT_TOTAL"},
		Level: "some in each quarter of an hour, for an hour",
	}
}

func nodeUnhealthy() Alert {
	return Alert{
		Name: "NodeAcceleratorUnhealthy",
		Expr: `kube_node_status_condition{condition="AcceleratedHardwareReady",status="false"} == 1`,
		For:  "1m", Severity: Critical,
		Summary:     "EKS says that a node's accelerators are not healthy",
		Description: "Node {{ $labels.node }} has AcceleratedHardwareReady false (value {{ $value }}).",
		Meaning:     "The EKS node monitoring agent has seen a fault of a GPU or a Neuron device. Where auto repair is on, the node is replaced after ten minutes.",
		Steps:       []string{"kubectl describe node says the reason; `assay explain xid CODE` what it means.", "Without auto repair: cordon, drain, and replace the instance."},
		Level:       "a state",
	}
}
