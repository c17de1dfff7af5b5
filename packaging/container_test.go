package packaging_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"memoir/internal/waittest"
)

var debian = flag.String("debian", "", "directory with Debian's root file system, the base of the image in place of one from a registry")

// imageConfig is the part of an image's configuration that the test obeys.
type imageConfig struct {
	User, WorkingDir, StopSignal string
	Env, Entrypoint              []string
	Volumes                      map[string]struct{}
	Healthcheck                  struct{ Test []string }
}

// image is a built image, with its root file system mounted at root.
type image struct {
	*testing.T
	config imageConfig
	root   string
}

// buildah runs buildah with a storage of its own, and returns its output.
func buildah(t *testing.T, storage string, args ...string) string {
	t.Helper()
	command := exec.Command("buildah", append([]string{"--root", filepath.Join(storage, "root"), "--runroot", filepath.Join(storage, "run"), "--storage-driver", "vfs"}, args...)...)
	var out, log bytes.Buffer
	command.Stdout, command.Stderr = &out, &log
	if err := command.Run(); err != nil {
		t.Fatalf("buildah %s: %v\n%s%s", strings.Join(args, " "), err, &out, &log)
	}
	return strings.TrimSpace(out.String())
}

// buildImage builds the image of the Containerfile from the release, on the root file system of
// -debian. It needs root and buildah, but no container engine.
func buildImage(t *testing.T) image {
	t.Helper()
	storage := t.TempDir()
	base := buildah(t, storage, "from", "scratch")
	buildah(t, storage, "add", "--quiet", base, *debian, "/")
	buildah(t, storage, "commit", "--quiet", base, "localhost/debian")
	// The context has only the release, where the Containerfile expects it.
	release := t.TempDir()
	if err := os.Mkdir(filepath.Join(release, "dist"), 0o755); err != nil {
		t.Fatal(err)
	}
	path := file(t, "memoir_*.deb")
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(release, "dist", filepath.Base(path)), raw, 0o644); err != nil { //nolint:gosec // apt reads it as another user
		t.Fatal(err)
	}
	buildah(t, storage, "build", "--isolation=chroot", "--format=docker", "--quiet", "--build-arg=BASE=localhost/debian",
		"--file=container/Containerfile", "--tag=memoir", release)
	var described struct{ Docker struct{ Config imageConfig } }
	if err := json.Unmarshal([]byte(buildah(t, storage, "inspect", "--type=image", "memoir")), &described); err != nil {
		t.Fatal(err)
	}
	container := buildah(t, storage, "from", "memoir")
	return image{t, described.Docker.Config, buildah(t, storage, "mount", container)}
}

// contain runs its arguments as the user $1 in the root file system $0, with mounts, processes and
// network of their own.
const contain = `
root=$0 user=$1
shift
mount --make-rprivate / && mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" && ip link set lo up || exit 1
exec chroot --userspec="$user" "$root" env --ignore-environment "$@"`

// start starts the image's program as an engine would, and returns the process outside.
func (i image) start(env ...string) (program *exec.Cmd, log *bytes.Buffer) {
	i.Helper()
	args := slices.Concat(
		[]string{"--mount", "--pid", "--net", "--fork", "--kill-child", "sh", "-c", contain, i.root, i.config.User, "--chdir=" + i.config.WorkingDir},
		i.config.Env, env, i.config.Entrypoint,
	)
	program, log = exec.Command("unshare", args...), &bytes.Buffer{}
	program.Stdout, program.Stderr = log, log
	if err := program.Start(); err != nil {
		i.Fatal(err)
	}
	i.Cleanup(func() { _ = program.Process.Kill() })
	return program, log
}

// inner returns the first process inside of a started program, or 0.
func inner(program *exec.Cmd) int {
	children, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", program.Process.Pid, program.Process.Pid))
	pid, _ := strconv.Atoi(strings.TrimSpace(string(children)))
	return pid
}

// exec runs a command inside of a started program, as the image's user.
func (i image) exec(program *exec.Cmd, args ...string) (output string, err error) {
	i.Helper()
	enter := append([]string{"--target=" + strconv.Itoa(inner(program)), "--mount", "--pid", "--net", "chroot", "--userspec=" + i.config.User, i.root, "env", "--ignore-environment"}, i.config.Env...)
	out, err := exec.Command("nsenter", append(enter, args...)...).CombinedOutput()
	return string(out), err
}

// healthy waits until the image's health check succeeds.
func (i image) healthy(program *exec.Cmd, log *bytes.Buffer) {
	i.Helper()
	if len(i.config.Healthcheck.Test) < 2 || i.config.Healthcheck.Test[0] != "CMD" {
		i.Fatalf("health check = %q, want a command", i.config.Healthcheck.Test)
	}
	waittest.NoError(i, "a healthy container", func() error {
		out, err := i.exec(program, i.config.Healthcheck.Test[1:]...)
		if err != nil {
			return fmt.Errorf("%w: %s\n%s", err, out, log)
		}
		return nil
	})
}

// stop sends the image's stop signal to the first process. The program must end cleanly.
func (i image) stop(program *exec.Cmd) {
	i.Helper()
	if i.config.StopSignal != "SIGTERM" {
		i.Errorf("stop signal = %q", i.config.StopSignal)
	}
	if err := syscall.Kill(inner(program), syscall.SIGTERM); err != nil {
		i.Fatal(err)
	}
	if err := program.Wait(); err != nil {
		i.Errorf("after the stop signal: %v", err)
	}
}

// TestContainer_Runs builds the image with buildah, and runs it in a chroot, because tests have no
// container engine.
func TestContainer_Runs(t *testing.T) {
	t.Parallel()
	file(t, "memoir_*.deb")
	if *debian == "" {
		t.Skip("make container runs this test")
	}
	for _, program := range []string{"buildah", "unshare", "nsenter", "ip"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Fatal(err)
		}
	}
	i := buildImage(t)
	if i.config.User != "1000:1000" {
		t.Errorf("user = %q, want a number that is not root", i.config.User)
	}
	if _, isVolume := i.config.Volumes["/data"]; !isVolume {
		t.Errorf("volumes = %v, want /data", i.config.Volumes)
	}

	program, log := i.start()
	if err := program.Wait(); exitCode(err) != 2 || !strings.Contains(log.String(), "token") {
		t.Errorf("without a token: %v, want exit code 2\n%s", err, log)
	}

	const token = "MEMOIR_TOKEN=0123456789abcdef"
	program, log = i.start(token)
	if out, err := i.exec(program, i.config.Healthcheck.Test[1:]...); err == nil {
		t.Errorf("healthy before the start: %s", out)
	}
	i.healthy(program, log)
	if out, err := i.exec(program, "mkdir", "-p", "/agents/ada/memory"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	waittest.NoError(t, "a saved memory of the new agent", func() error {
		out, err := i.exec(program, token, "memoir", "memory", "save", "Small diffs", "--type=feedback", "--description=one concern", "--body=Ask for a split.", "--agent=ada")
		if err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		return nil
	})
	i.stop(program)

	program, log = i.start(token)
	i.healthy(program, log)
	if out, err := i.exec(program, token, "memoir", "memory", "list", "--agent=ada"); err != nil || !strings.Contains(out, "Small diffs") {
		t.Errorf("after a restart: %v: %s", err, out)
	}
	i.stop(program)
}
