#!/usr/bin/env node
// Runs the program of the package for this platform, with the same arguments, streams and end.
"use strict";

const { spawn } = require("node:child_process");
const { constants } = require("node:os");

const name = `@memoir/server-${process.platform}-${process.arch}`;
let program;
try {
  program = require.resolve(`${name}/bin/memoir`);
} catch {
  console.error(
    `memoir: the package ${name} is missing. npm has left it out (--omit=optional), or Memoir is not built for this platform. ` +
      `Install it again without that option, or build Memoir from source.`,
  );
  process.exit(1);
}

const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1"]) {
  process.on(signal, () => child.kill(signal));
}
child.on("error", (error) => {
  console.error(`memoir: cannot start ${program}: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  process.exit(signal ? 128 + constants.signals[signal] : code);
});
