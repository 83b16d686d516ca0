package load

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
)

// Formats of synthetic images.
const (
	PNG  = "png"
	JPEG = "jpeg"
)

// ImageOptions say what images a prompt carries.
type ImageOptions struct {
	Count         int // of each prompt that brings no count of its own
	Width, Height int // pixels
	Format        string
}

// Illustrated is a Source whose prompts carry synthetic images, each unlike all
// others of the run, so that no cache of encoded images serves one.
type Illustrated struct {
	source  Source
	options ImageOptions
	noise   *rand.Rand
}

var _ Source = (*Illustrated)(nil)

// NewIllustrated adds images to the prompts of s. The pixels depend on the run's
// nonce and the level.
func NewIllustrated(s Source, o ImageOptions, nonce, level string) *Illustrated {
	return &Illustrated{source: s, options: o, noise: stream(nonce, "images "+level)}
}

// Next draws a prompt and its images.
func (i *Illustrated) Next(rng *rand.Rand) (Prompt, error) {
	p, err := i.source.Next(rng)
	if err != nil {
		return p, err
	}
	n := i.options.Count
	if p.ImageCount != nil {
		n = *p.ImageCount
	}
	if n > 0 && len(p.Body) > 0 {
		return p, errors.New("the prompt is a whole request, to which no images can be added: give prompts as texts")
	}
	for range n {
		url, err := i.draw()
		if err != nil {
			return p, err
		}
		p.Images = append(p.Images, url)
	}
	return p, nil
}

// block is the side of the squares of one colour that an image is made of, in
// pixels: noise of single pixels would make a file of several times the size of
// a photograph's.
const block = 8

// draw makes one image as a data: URL.
func (i *Illustrated) draw() (string, error) {
	o := i.options
	img := image.NewNRGBA(image.Rect(0, 0, o.Width, o.Height))
	for y := 0; y < o.Height; y += block {
		for x := 0; x < o.Width; x += block {
			i.fill(img, x, y)
		}
	}
	var b bytes.Buffer
	var err error
	switch o.Format {
	case JPEG:
		err = jpeg.Encode(&b, img, &jpeg.Options{Quality: 85})
	default:
		err = (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, img)
	}
	if err != nil {
		return "", fmt.Errorf("make an image of %dx%d: %w", o.Width, o.Height, err)
	}
	kind := PNG
	if o.Format == JPEG {
		kind = JPEG
	}
	return "data:image/" + kind + ";base64," + base64.StdEncoding.EncodeToString(b.Bytes()), nil
}

// fill gives the block at x, y a random colour.
func (i *Illustrated) fill(img *image.NRGBA, x, y int) {
	r := i.noise.Uint32()
	c := color.NRGBA{R: uint8(r), G: uint8(r >> 8), B: uint8(r >> 16), A: 255}
	for dy := range min(block, img.Rect.Dy()-y) {
		for dx := range min(block, img.Rect.Dx()-x) {
			img.SetNRGBA(x+dx, y+dy, c)
		}
	}
}
