package controlplane

import "testing"

func TestInstall(t *testing.T) {
	s := start(t)
	s.install()
}
