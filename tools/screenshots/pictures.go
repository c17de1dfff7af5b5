package main

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// picture is one screenshot.
type picture struct {
	name   string
	agent  string // empty for reviewer
	path   string // relative to the agent's; MEMORY is replaced
	memory string // name of the agent's memory
	dark   bool
	phone  bool
	then   []string // see state
}

var pictures = []picture{
	{name: "home", path: "/"},
	{name: "palette", path: "/", then: palette("deploy")},
	{name: "memory", path: "memory/MEMORY", memory: "small-diffs"},
	{name: "memory-dark", path: "memory/MEMORY", memory: "small-diffs", dark: true},
	{name: "phone", path: "memory", phone: true},
	{name: "phone-memory", path: "memory/MEMORY", memory: "small-diffs", phone: true, dark: true},
	{name: "review", path: "/review"},
	{name: "context", path: "context"},
	{name: "timeline", path: "timeline"},
	{name: "settings", agent: onCall, path: "settings"},
}

// withBrowser starts a browser, calls use, and ends it.
func withBrowser(ctx context.Context, use func(browser context.Context) error) error {
	profile, err := os.MkdirTemp("", "memoir-browser-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(profile) //nolint:errcheck // a temporary directory
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.UserDataDir(profile), chromedp.DisableGPU)
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	allocator, stop := chromedp.NewExecAllocator(ctx, options...)
	defer stop()
	browser, end := chromedp.NewContext(allocator)
	defer end()
	return use(browser)
}

// takePictures takes every picture in pictures, and writes each as a PNG file into the existing
// directory. It replaces earlier files and stops at the first error.
func (s *server) takePictures(browser context.Context, dir string) error {
	for _, p := range pictures {
		taken, err := s.take(browser, p)
		if err != nil {
			return fmt.Errorf("take %s: %w", p.name, err)
		}
		if taken, err = small(taken); err != nil {
			return fmt.Errorf("shrink %s: %w", p.name, err)
		}
		if err := os.WriteFile(filepath.Join(dir, p.name+".png"), taken, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func (s *server) take(browser context.Context, p picture) ([]byte, error) {
	path, agent := p.path, cmp.Or(p.agent, reviewer)
	if p.memory != "" {
		memory, err := s.memory(browser, agent, p.memory)
		if err != nil {
			return nil, err
		}
		path = strings.Replace(path, "MEMORY", filepath.Base(memory), 1)
	}
	if !strings.HasPrefix(path, "/") {
		path = "/agents/" + agent + "/" + path
	}
	width, height, scheme := int64(1280), int64(900), "light"
	if p.phone {
		width, height = 390, 844
	}
	if p.dark {
		scheme = "dark"
	}
	if err := emulate(browser, width, height, scheme); err != nil {
		return nil, err
	}
	if err := s.navigate(browser, path); err != nil {
		return nil, err
	}
	return capture(browser, p.then)
}

// navigate opens a page. It returns an error unless the page answers 200.
func (s *server) navigate(browser context.Context, path string) error {
	if err := chromedp.Do(browser, chromedp.Navigate(s.url+path)); err != nil {
		return err
	}
	status, err := chromedp.Run(browser, chromedp.Evaluate[int](`performance.getEntriesByType("navigation")[0].responseStatus`))
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("%s answers %d", path, status)
	}
	return err
}

// emulate gives the browser a screen of that size in CSS pixels, and a colour scheme.
func emulate(browser context.Context, width, height int64, scheme string) error {
	_, err := chromedp.Call(browser, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}})
	if err != nil {
		return err
	}
	return chromedp.Do(browser, chromedp.EmulateViewport(width, height))
}
