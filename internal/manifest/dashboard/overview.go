package dashboard

// each is a service: what the rows of the overview are of.
const each = "namespace, model_name"

// overview is the status board of all services, to be read from a distance.
func overview(o Options) board {
	return board{
		name: "assay-overview", title: "Assay / Overview",
		about: "All services of vLLM at a glance: what is down, what is slow, what fails. A row of the table leads to its service.",
		asks:  []ask{askJob, askNamespace, askModel},
		rows: []row{
			{"Is anything wrong?", []panel{
				serversDown().size(4, 5),
				stalledServers(services).size(4, 5),
				o.firstTokens(services).size(4, 5),
				o.nextTokens(services).size(4, 5),
				o.failed(services).size(4, 5),
				slowedGPUs(everyHost).size(4, 5),
			}},
			{"How much is there?", []panel{
				figure("Output tokens", tokenRate, "Tokens generated a second by all servers.",
					sum("", rate("vllm:generation_tokens_total{"+services+"}"))).size(4, 4),
				figure("Requests", "reqps", "Requests that ended a second, whatever the reason.",
					sum("", rate("vllm:request_success_total{"+services+"}"))).size(4, 4),
				figure("Running", "none", "Requests in the batches of all servers.",
					sum("", "vllm:num_requests_running{"+services+"}")).size(4, 4),
				figure("Waiting", "none", "Requests that are accepted and not yet in a batch.",
					sum("", "vllm:num_requests_waiting{"+services+"}")).size(4, 4),
				figure("Fullest KV cache", "percentunit", "Usage of the fullest KV cache; near 100 % alone is a cache well used.",
					"max("+kvUsage(services)+")").size(4, 4),
				o.preempted(services).size(4, 4),
			}},
			{"Services", []panel{o.serviceTable().size(24, 8)}},
			{"Servers", []panel{serverStates().size(24, 6)}},
			{"Over time", []panel{
				chart("Mean time to first token", "s", "Mean time from a request's arrival to its first token, of each service.",
					query{expr: mean(each, "vllm:time_to_first_token_seconds", services), legend: serviceLegend}).size(8, 8),
				chart("Output tokens", tokenRate, "Tokens generated a second, of each service.",
					query{expr: sum(each, rate("vllm:generation_tokens_total{"+services+"}")), legend: serviceLegend}).size(8, 8),
				chart("Waiting requests", "none", "Requests that are accepted and not yet in a batch, of each service.",
					query{expr: sum(each, "vllm:num_requests_waiting{"+services+"}"), legend: serviceLegend}).size(8, 8),
			}},
		},
	}
}

const serviceLegend = "{{namespace}} {{model_name}}"

func (o Options) serviceTable() panel {
	byServer := over("count", each+", instance", "vllm:num_requests_running{"+services+"}")
	return panel{
		kind: table, title: "Services", unit: "none",
		means: "Each service with what it serves and how well; a click on its model shows it alone.",
		queries: []query{
			{expr: over("count", each, byServer), legend: "Servers"},
			{expr: sum(each, rate("vllm:request_success_total{"+services+"}")), legend: "Requests/s"},
			{expr: sum(each, rate("vllm:generation_tokens_total{"+services+"}")), legend: "Output tokens/s"},
			{expr: o.ttftWithin(each, services, interval), legend: "First token in time"},
			{expr: o.itlWithin(each, services, interval), legend: "Next token in time"},
			{expr: sum(each, "vllm:num_requests_running{"+services+"}"), legend: "Running"},
			{expr: sum(each, "vllm:num_requests_waiting{"+services+"}"), legend: "Waiting"},
			{expr: over("max", each, kvUsage(services)), legend: "Fullest KV"},
			{expr: sum(each, rate("vllm:num_preemptions_total{"+services+"}")), legend: "Preemptions/s"},
		},
		cols: map[string]column{
			"namespace":           {title: "Namespace"},
			"model_name":          {title: "Model", link: "assay-service"},
			"Requests/s":          {unit: "reqps"},
			"Output tokens/s":     {unit: "short"},
			"First token in time": {unit: "percentunit", judge: o.within()},
			"Next token in time":  {unit: "percentunit", judge: o.within()},
			"Fullest KV":          {unit: "percentunit"},
			"Preemptions/s":       {unit: "ops", judge: above(o.Levels.Preempting, o.Levels.Thrashing)},
		},
	}
}
