package main

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"image/png"
	"maps"
	"slices"
)

// colours is the size of a palette whose index fits into a byte.
const colours = 256

// small returns a PNG picture, reduced to 256 colours, as PNG. These are the most frequent ones,
// where shades that differ slightly count as one; other pixels get the nearest of them. The file
// becomes about a third as large. It returns an error if picture is no PNG.
func small(picture []byte) ([]byte, error) {
	full, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		return nil, err
	}
	counts := map[color.NRGBA]map[color.NRGBA]int{} // counts of colours, by their coarse colour
	bounds := full.Bounds()
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			c := at(full, x, y)
			if counts[coarse(c)] == nil {
				counts[coarse(c)] = map[color.NRGBA]int{}
			}
			counts[coarse(c)][c]++
		}
	}
	palette, nearest := paletteOf(counts)
	reduced := image.NewPaletted(bounds, palette)
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			reduced.SetColorIndex(x, y, nearest[coarse(at(full, x, y))])
		}
	}
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	err = encoder.Encode(&out, reduced)
	return out.Bytes(), err
}

// paletteOf returns a palette and, for each coarse colour, the index of its colour there. counts
// has the number of pixels of each colour, by coarse colour. The 256 most frequent coarse colours
// are represented by their most frequent colour, the others by the nearest in the palette.
func paletteOf(counts map[color.NRGBA]map[color.NRGBA]int) (color.Palette, map[color.NRGBA]uint8) {
	total := make(map[color.NRGBA]int, len(counts))
	for kind, of := range counts {
		for _, n := range of {
			total[kind] += n
		}
	}
	kinds := mostFrequent(total)
	palette := color.Palette{}
	for _, kind := range kinds[:min(colours, len(kinds))] {
		palette = append(palette, mostFrequent(counts[kind])[0])
	}
	nearest := make(map[color.NRGBA]uint8, len(kinds))
	for i, kind := range kinds {
		if i < len(palette) {
			nearest[kind] = uint8(i)
		} else {
			nearest[kind] = uint8(palette.Index(mostFrequent(counts[kind])[0]))
		}
	}
	return palette, nearest
}

// mostFrequent returns the colours, the most frequent first. Equally frequent ones are ordered by
// value.
func mostFrequent(count map[color.NRGBA]int) []color.NRGBA {
	return slices.SortedFunc(maps.Keys(count), func(a, b color.NRGBA) int {
		return cmp.Or(count[b]-count[a], int(a.R)-int(b.R), int(a.G)-int(b.G), int(a.B)-int(b.B))
	})
}

// coarse returns the colour with red, green and blue each rounded down to one of 32 steps, which
// the eye can distinguish. Alpha stays.
func coarse(c color.NRGBA) color.NRGBA {
	const steps = 0xf8
	return color.NRGBA{c.R & steps, c.G & steps, c.B & steps, c.A}
}

func at(picture image.Image, x, y int) color.NRGBA {
	return color.NRGBAModel.Convert(picture.At(x, y)).(color.NRGBA)
}
