package practice

import (
	"regexp"
	"strings"
)

// Mark is written where a value must be known that nobody gave: an account, a subnet,
// a role. It is valid as a name, so that what holds it can be looked at with kubectl,
// and lint finds it again (rule unset-value).
func Mark(name string) string { return "unset-" + name }

var mark = regexp.MustCompile(`\bunset-[a-z][a-z0-9-]*`)

// Marks are those in a text.
func Marks(text string) []string {
	if !strings.Contains(text, "unset-") { // as nearly all
		return nil
	}
	return mark.FindAllString(text, -1)
}
