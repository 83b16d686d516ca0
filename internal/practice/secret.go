package practice

import (
	"regexp"
	"strings"
)

// Secret is a secret found in a text: what it is and where it stands, never its value.
type Secret struct {
	Kind       string // Hugging Face token
	Begin, End int    // in the text, bytes
}

// shape is how a kind of secret looks, as its issuer writes it.
type shape struct {
	kind    string
	pattern *regexp.Regexp
}

// shapes are from the issuers' documents and from GitHub's list of supported patterns,
// https://docs.github.com/en/code-security/secret-scanning/introduction/supported-secret-scanning-patterns,
// read 2026-11-30.
var shapes = []shape{
	{"a Hugging Face token", regexp.MustCompile(`\bhf_[A-Za-z0-9]{20,}`)},
	{"an NGC API key", regexp.MustCompile(`\bnvapi-[A-Za-z0-9_-]{20,}`)},
	{"an AWS access key", regexp.MustCompile(`\b(?:AKIA|ASIA)[A-Z0-9]{16}\b`)},
	{"a GitHub token", regexp.MustCompile(`\b(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,})`)},
	{"a GitLab token", regexp.MustCompile(`\bglpat-[A-Za-z0-9_-]{20,}`)},
	{"an API key", regexp.MustCompile(`\bsk-(?:proj-|ant-|or-)?[A-Za-z0-9_-]{20,}`)},
	{"a Slack token", regexp.MustCompile(`\bxox[abprs]-[A-Za-z0-9-]{20,}`)},
	{"a Google API key", regexp.MustCompile(`\bAIza[A-Za-z0-9_-]{35}`)},
	{"a private key", regexp.MustCompile(`-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----`)},
	{"a bearer token", regexp.MustCompile(`\b[Bb]earer [A-Za-z0-9._~+/-]{20,}=*`)},
}

// SecretIn finds the first secret that is known by its shape.
func SecretIn(text string) (Secret, bool) {
	best, found := Secret{}, false
	for _, s := range shapes {
		if at := s.pattern.FindStringIndex(text); at != nil && (!found || at[0] < best.Begin) {
			best, found = Secret{s.kind, at[0], at[1]}, true
		}
	}
	return best, found
}

// Hidden stands where a secret was.
const Hidden = "[hidden]"

// Veil hides secrets that are known by their shape.
func Veil(text string) string {
	for _, s := range shapes {
		if s.pattern.MatchString(text) {
			text = s.pattern.ReplaceAllLiteralString(text, Hidden)
		}
	}
	if strings.Contains(text, "://") {
		text = inURL.ReplaceAllString(text, "${1}"+Hidden+"@")
	}
	return text
}

// inURL is a password in an address, as it stands there: not a variable for one.
var inURL = regexp.MustCompile(`(://[^/\s:@"']*:)[^/\s:@"'$<{\[]{3,}@`)

// besideName is a name, and where what stands beside it begins: after a colon or an
// equals sign, after a blank for a flag, after value: for a variable in a flow mapping.
var besideName = regexp.MustCompile(`(--[A-Za-z][A-Za-z0-9_-]*["']?\s*[=,]?\s*|[A-Za-z_][A-Za-z0-9_.-]*["']?(?:\s*[:=]\s*|,\s*["']?value["']?:\s*|\s+))`)

// VeilLine is Veil for a line that nobody could parse: of what stands beside a name of
// a secret nothing is shown, to the end of the line.
func VeilLine(text string) string {
	text = Veil(text)
	for _, at := range besideName.FindAllStringIndex(text, -1) {
		name := strings.TrimRight(text[at[0]:at[1]], " \t\"'=:,")
		name, _, _ = strings.Cut(name, ",")
		rest := strings.Trim(text[at[1]:], " \t\r\"'")
		if PlainSecret(strings.Trim(name, `"'`), rest) {
			return text[:at[1]] + Hidden
		}
	}
	return text
}

// secretName are endings of the names of variables, keys and flags that hold a secret.
var secretName = regexp.MustCompile(`^(?:PGPASSWORD|MYSQL_PWD|SSHPASS|REDISCLI_AUTH|(?:.*_)?(?:PASSWORD|PASSWD|PASSPHRASE|API_?KEY|SECRET_(?:ACCESS_)?KEY|PRIVATE_KEY|SIGNING_KEY|ENCRYPTION_KEY|(?:CLIENT|APP|JWT|WEBHOOK|SHARED|SIGNING)_SECRET|(?:AUTH)?TOKEN))$`)

// noSecretName are names of tokens of models, and of counts.
var noSecretName = regexp.MustCompile(`(?:^|_)(?:PAD|EOS|BOS|SEP|UNK|MASK|CLS|STOP|START|END|SPECIAL|IMAGE|MAX|MIN|NUM|PER|FIRST|NEXT|LAST|PAGE|COST|PRICE|PUBLIC)(?:_[A-Z]+)?$`)

// NamesSecret says that a variable, key or flag is named as one that holds a secret.
func NamesSecret(name string) bool {
	n := strings.ToUpper(strings.NewReplacer("-", "_", ".", "_").Replace(strings.TrimLeft(name, "-")))
	return secretName.MatchString(n) && !noSecretName.MatchString(n)
}

// stand-ins for a secret that is not needed, such as the key that clients of a server
// without one send.
var standIn = regexp.MustCompile(`(?i)^(?:|empty|none|null|nil|n/?a|no|yes|true|false|dummy|unused|not[-_ ]?(?:used|needed|required|set)|no[-_]?key(?:[-_]required)?|sk-no-key-required|ignored?|optional|disabled?|x+|\*+|\.+)$`)

// elsewhere are values that say where the secret is, instead of being it.
var elsewhere = regexp.MustCompile(`^(?:/|\./|~/|file:|env:|arn:|vault:|op://|sm://|ref\+|secretref:|projects/|<|\[)|\$|\{\{|://`)

var number = regexp.MustCompile(`^[0-9]+$`)

// PlainSecret says that a name holds its secret as plain text: the name is of a secret,
// and the value is neither empty, nor a stand-in, nor a place where the secret is.
func PlainSecret(name, value string) bool {
	value = strings.TrimSpace(value)
	if !NamesSecret(name) || standIn.MatchString(value) || elsewhere.MatchString(value) || len(Marks(value)) > 0 || strings.HasPrefix(value, "ENC[") {
		return false
	}
	return !strings.HasSuffix(strings.ToUpper(name), "TOKEN") || !number.MatchString(value) && len(value) >= 6
}
