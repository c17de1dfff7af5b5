// Package verification
package verification
