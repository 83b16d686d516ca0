package wire

// Key is an API key. No way of printing or encoding it shows it.
type Key struct{ secret string }

// NewKey wraps a key; "" is none.
func NewKey(secret string) Key { return Key{secret} }

// IsZero reports that there is no key.
func (k Key) IsZero() bool { return k.secret == "" }

const hidden = "[key]"

func (k Key) String() string               { return hidden }
func (k Key) GoString() string             { return hidden }
func (k Key) MarshalText() ([]byte, error) { return []byte(hidden), nil }
