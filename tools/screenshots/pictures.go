package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

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
}

var pictures = []picture{
	{name: "agents", path: "/"},
	{name: "memory-tab", path: "memory/MEMORY", memory: "small-diffs"},
	{name: "memory-tab-dark", path: "memory/MEMORY", memory: "small-diffs", dark: true},
	{name: "phone", path: "memory", phone: true},
	{name: "phone-memory", path: "memory/MEMORY", memory: "small-diffs", phone: true, dark: true},
	{name: "deletion", path: "memory/MEMORY/delete", memory: "small-diffs"},
	{name: "history", path: "memory/MEMORY/history", memory: "small-diffs"},
	{name: "writing", path: "memory/MEMORY/edit", memory: "small-diffs"},
	{name: "needs-attention", path: "attention"},
	{name: "claude-md", path: "context"},
	{name: "index", path: "context?file=memory-md"},
	{name: "recall", path: "context?q=How+large+may+a+pull+request+be+before+I+ask+for+a+split%3F"},
	{name: "activity", path: "activity"},
	{name: "logs", agent: onCall, path: "logs/" + time.Now().UTC().Format(time.DateOnly)},
	{name: "consolidation", agent: onCall, path: "consolidation"},
	{name: "about", agent: onCall, path: "about"},
	{name: "sync", path: "/sync"},
	{name: "search", path: "/search?q=cents"},
}

// takePictures starts a browser, takes every picture in pictures, and writes each as a PNG file
// into the existing directory. It replaces earlier files and stops at the first error.
func (s *server) takePictures(ctx context.Context, dir string) error {
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
	_, err := chromedp.Call(browser, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}})
	if err != nil {
		return nil, err
	}
	if err := chromedp.Do(browser, chromedp.EmulateViewport(width, height)); err != nil {
		return nil, err
	}
	response, err := chromedp.RunResponse(browser, chromedp.Navigate(s.url+path))
	if err != nil {
		return nil, err
	}
	if response.Status != 200 {
		return nil, fmt.Errorf("%s answers %d", path, response.Status)
	}
	return chromedp.Run(browser, chromedp.CaptureScreenshot())
}
