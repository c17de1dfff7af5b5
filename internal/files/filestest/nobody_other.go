//go:build !linux

package filestest

import "errors"

func becomeNobody() error {
	return errors.New("on this system a thread cannot give up root's privileges over files: run the tests as somebody else")
}
