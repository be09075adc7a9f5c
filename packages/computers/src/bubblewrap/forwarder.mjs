import { spawn } from "node:child_process";
import { connect, createServer } from "node:net";
import { constants } from "node:os";

// Runs in the box, as the parent of the command: connections to the port of the proxy go to the platform's socket. Plain
// JavaScript, because the bundle ships it unchanged: nothing else of Muster is in the box.
//   node forwarder COMMAND ARGUMENT...

const port = 3128;
const socket = "/run/muster/proxy/socket";

const server = createServer({ allowHalfOpen: true }, (from) => {
  const to = connect({ path: socket, allowHalfOpen: true });
  from.pipe(to).pipe(from);
  from.on("error", () => to.destroy());
  to.on("error", () => from.destroy());
});
server.listen(port, "127.0.0.1", () => {
  const [command = "", ...args] = process.argv.slice(2);
  const child = spawn(command, args, { stdio: "inherit" });
  child.on("error", (error) => {
    console.error(String(error));
    process.exit(126);
  });
  child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal ?? "SIGKILL"]));
});
