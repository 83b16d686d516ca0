package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"assay/internal/cli"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"assay": func() { os.Exit(cli.Main(cli.System())) },
	})
}

// TestScripts runs the command line as a user does: testdata/script/*.txtar.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Setup:               withPeers,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status":      checkStatus,
			"serve":       serve,
			"cluster":     clusterOf,
			"unseen":      unseen,
			"waitfor":     waitFor,
			"waitscrapes": waitScrapes,
		},
	})
}

// withPeers tells scripts where other tools' files are.
func withPeers(env *testscript.Env) error {
	dir, err := filepath.Abs(filepath.Join("..", "..", "internal", "record", "peers", "testdata"))
	env.Setenv("PEERS", dir)
	return err
}
