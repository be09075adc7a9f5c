import { processNames, serve } from "./serve.ts";

// Started by packages/cli/bin/muster.mjs where the server is installed, too.

const [command, name = "", ...more] = process.argv.slice(2);

if (command === "serve" && more.length === 0 && processNames.includes(name)) {
  // Without the other commands, which a server does not need: they take memory, and the time until it can handle signals.
  process.exitCode = await serve(name);
} else {
  const { runCommand } = await import("@muster/cli");
  const checkRuntime = async (env: NodeJS.ProcessEnv) =>
    (await import("@muster/computers")).checkRuntime(env);
  await runCommand({ processNames, serve, checkRuntime });
}
