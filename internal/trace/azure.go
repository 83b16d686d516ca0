package trace

func newAzure() func(record) (Row, error) { return azureRow }

// azureRow is a request of Azure's LLM traces of 2023 and 2024, or of the
// multimodal one of 2025, which has a column for images. The first gives seven
// digits of a second and no zone, the later ones any number of digits and a zone.
func azureRow(r record) (Row, error) {
	var row Row
	at, err := moment(r.get("timestamp"))
	if err != nil {
		return row, err
	}
	row.At = &at
	if row.PromptTokens, err = count("ContextTokens", r.get("contexttokens")); err != nil {
		return row, err
	}
	if row.OutputTokens, err = count("GeneratedTokens", r.get("generatedtokens")); err != nil {
		return row, err
	}
	if s := r.get("numimages"); s != "" {
		row.Images, err = count("NumImages", s)
	}
	return row, err
}
