package embedding

import "math"

// A vector is stored as one signed byte per dimension. Its largest component becomes ±127, and its
// length is computed from the bytes, so that no scale is stored. For 384 dimensions the error of a
// cosine is about 0.001.

// quantise returns the bytes of a vector with a length above 0.
func quantise(v []float32) []byte {
	largest := float32(0)
	for _, x := range v {
		largest = max(largest, x, -x)
	}
	result := make([]byte, len(v))
	for i, x := range v {
		result[i] = byte(int8(math.RoundToEven(float64(x) / float64(largest) * math.MaxInt8)))
	}
	return result
}

// signed returns the components of stored bytes.
func signed(raw []byte) []int8 {
	result := make([]int8, len(raw))
	for i, b := range raw {
		result[i] = int8(b)
	}
	return result
}

// lengthOf returns the length of a quantised vector.
func lengthOf(v []int8) float32 { return float32(math.Sqrt(float64(dot(v, v)))) }

// cosine returns the similarity of two quantised vectors of one size.
func cosine(a, b []int8) float64 {
	return float64(dot(a, b)) / (float64(lengthOf(a)) * float64(lengthOf(b)))
}

// dot returns the dot product of two vectors. b is at least as long as a.
func dot(a, b []int8) int32 {
	b = b[:len(a)]
	var s0, s1, s2, s3 int32
	i := 0
	for ; i+8 <= len(a); i += 8 {
		x, y := a[i:i+8:i+8], b[i:i+8:i+8]
		s0 += int32(x[0])*int32(y[0]) + int32(x[4])*int32(y[4])
		s1 += int32(x[1])*int32(y[1]) + int32(x[5])*int32(y[5])
		s2 += int32(x[2])*int32(y[2]) + int32(x[6])*int32(y[6])
		s3 += int32(x[3])*int32(y[3]) + int32(x[7])*int32(y[7])
	}
	for ; i < len(a); i++ {
		s0 += int32(a[i]) * int32(b[i])
	}
	return s0 + s1 + s2 + s3
}
