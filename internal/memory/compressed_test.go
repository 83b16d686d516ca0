package memory

import (
	"errors"
	"testing"

	"assay/internal/facts"
	"assay/internal/model"
)

func TestCompressedAttentionIsRefusedByName(t *testing.T) {
	arch, err := model.Named("deepseek-v4-flash")
	if err != nil {
		t.Fatal(err)
	}
	chip, err := facts.ChipNamed("B200")
	if err != nil {
		t.Fatal(err)
	}
	engine, err := EngineNamed("vllm")
	if err != nil {
		t.Fatal(err)
	}
	_, err = Of(Config{Model: arch, Format: arch.Format, Chip: chip, Engine: engine, TP: 4, PP: 1, DP: 1, EP: 1, MaxModelLen: 8192})
	var unknown *model.UnknownError
	if !errors.As(err, &unknown) || unknown.Name != "compressed" {
		t.Errorf("%v, want compressed attention refused by name", err)
	}
}
