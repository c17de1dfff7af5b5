package ui

import (
	"net/url"

	"memoir/web/templates/address"
)

// backToResults returns the address of the search from which the page at here was opened, or "".
func backToResults(here string) string {
	at, err := url.Parse(here)
	if err != nil || at.Query().Get(address.FieldOpener) != address.FromSearch {
		return ""
	}
	return address.WithQuery(address.SearchPath, map[string]string{address.FieldQuery: at.Query().Get(address.FieldQuery)})
}
