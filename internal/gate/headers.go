package gate

import "net/http"

// contentSecurityPolicy lets a page load its own scripts, styles and images and nothing else: whatever slips through
// the cleaning of a memory's text can neither run nor fetch.
const contentSecurityPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// secured sets the headers that every answer has. A handler may set its own Cache-Control.
func secured(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", contentSecurityPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY") // for browsers that do not know frame-ancestors
		// Tells other sites as little as no-referrer does. That one would also blank the Origin of our own forms, which
		// the check for cross-origin writes needs where browsers do not send Sec-Fetch-Site: on plain HTTP.
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}
