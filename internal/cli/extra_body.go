package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"assay/internal/record"
)

// mostExtraBytes bounds a file of extra body fields.
const mostExtraBytes = 1 << 20

// readExtraBody reads --extra-body: a JSON object, @FILE with one, or NAME:VALUE
// where the value is JSON or else a string. Several add up.
func readExtraBody(typed []string) (map[string]any, error) {
	var all map[string]any
	for _, t := range typed {
		fields, err := extraFields(strings.TrimSpace(t))
		if err != nil {
			return nil, fmt.Errorf("--extra-body %w", err)
		}
		for name, value := range fields {
			if holdsSecret(name) && !strings.HasPrefix(t, "@") {
				return nil, fmt.Errorf("--extra-body: the field %q is a credential by its name, and process lists show what is typed: give --extra-body @FILE", name)
			}
			if _, twice := all[name]; twice {
				return nil, fmt.Errorf("--extra-body: the field %q is given twice", name)
			}
			if all == nil {
				all = map[string]any{}
			}
			all[name] = value
		}
	}
	return all, nil
}

// holdsSecret judges a field by its name: some gateways take a key in the body.
func holdsSecret(name string) bool {
	name = strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(name))
	for _, part := range []string{"apikey", "password", "secret", "authorization", "credential", "accesstoken", "authtoken"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

func extraFields(typed string) (map[string]any, error) {
	if path, ok := strings.CutPrefix(typed, "@"); ok {
		b, err := record.ReadFile(path, mostExtraBytes)
		if err != nil {
			return nil, err
		}
		fields, err := object(b)
		if err != nil {
			return nil, fmt.Errorf("@%s: %w", path, err)
		}
		return fields, nil
	}
	if strings.HasPrefix(typed, "{") {
		fields, err := object([]byte(typed))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", typed, err)
		}
		return fields, nil
	}
	name, text, ok := strings.Cut(typed, ":")
	if !ok || name == "" {
		return nil, fmt.Errorf("%s: it is a JSON object, @FILE with one, or NAME:VALUE", typed)
	}
	value, err := jsonValue([]byte(text))
	if err != nil {
		return map[string]any{name: text}, nil
	}
	return map[string]any{name: value}, nil
}

func object(b []byte) (map[string]any, error) {
	value, err := jsonValue(b)
	if err != nil {
		return nil, fmt.Errorf("not a JSON object: %w", err)
	}
	fields, ok := value.(map[string]any)
	if !ok {
		return nil, errors.New("it is JSON, but no object")
	}
	return fields, nil
}

// jsonValue reads one value and leaves numbers as they are written.
func jsonValue(b []byte) (value any, err error) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something stands behind the first value")
	}
	return value, nil
}
