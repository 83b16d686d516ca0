package wire

import "fmt"

// Key is an API key. No way of printing or encoding it shows it.
type Key struct{ secret string }

// NewKey wraps a key; "" is none.
func NewKey(secret string) Key { return Key{secret} }

// IsZero reports that there is no key.
func (k Key) IsZero() bool { return k.secret == "" }

const hidden = "[key]"

func (k Key) String() string { return hidden }

// Format hides the key from every verb: %d would print the fields of a type
// that only has String.
func (k Key) Format(f fmt.State, _ rune) { fmt.Fprint(f, hidden) }

// MarshalText hides it from encoders.
func (k Key) MarshalText() ([]byte, error) { return []byte(hidden), nil }
