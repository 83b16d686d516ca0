package wire

import (
	"errors"
	"fmt"
	"strings"
)

// image is one as a data: URL holds it.
type image struct {
	url    string
	kind   string // media type
	base64 string
}

// parseImage reads a data: URL in base64.
func parseImage(url string) (image, error) {
	rest, ok := strings.CutPrefix(url, "data:")
	kind, data, ok2 := strings.Cut(rest, ";base64,")
	if !ok || !ok2 || kind == "" || data == "" {
		return image{}, fmt.Errorf("an image of a prompt is no data: URL in base64: %s", oneLine(url, 60))
	}
	return image{url, kind, data}, nil
}

// contentTurn is a message whose content is a text or a list of parts.
type contentTurn struct {
	Role    string `json:"role"`
	Content any    `json:"content"`
}

// addImages puts images before the text of the last user message. part is an
// image as the API writes it.
func addImages(turns []contentTurn, images []string, part func(image) any) error {
	for i := len(turns) - 1; i >= 0; i-- {
		if turns[i].Role != "user" {
			continue
		}
		var parts []any
		for _, url := range images {
			image, err := parseImage(url)
			if err != nil {
				return err
			}
			parts = append(parts, part(image))
		}
		turns[i].Content = append(parts, map[string]any{"type": "text", "text": turns[i].Content})
		return nil
	}
	return errors.New("a prompt with images has no user message to carry them")
}

// noImages refuses images where the API has no place for them.
func noImages(p Prompt) error {
	if len(p.Images) > 0 {
		return fmt.Errorf("a prompt with images wants --api %s or %s", Chat, Messages)
	}
	return nil
}
