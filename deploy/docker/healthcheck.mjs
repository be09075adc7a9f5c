// Asks the process of this container whether it responds: over HTTP, or gRPC health's `liveness`. Exits with 1 if it does not.
// Readiness is another question: a container that waits for its store must not be restarted.
import { readFileSync } from "node:fs";
import { connect } from "node:http2";

const timeoutMs = 4_000;
/** By process: the settings of its address, and the port without one. */
export const listeners = {
  all: ["HOST", "PORT", 8080],
  gateway: ["HOST", "PORT", 8080],
  auth: ["AUTH_HOST", "AUTH_PORT", 7001],
  agents: ["AGENTS_HOST", "AGENTS_PORT", 7002],
  sessions: ["SESSIONS_HOST", "SESSIONS_PORT", 7003],
  workforce: ["WORKFORCE_HOST", "WORKFORCE_PORT", 7004],
  recorder: ["RECORDER_HOST", "RECORDER_PORT", 7005],
};

/** Rejects, with the reason, if the process of that command line does not respond. `commandLine`: of `muster serve <name>`. */
export async function checkHealth(commandLine, env) {
  const name = commandLine[commandLine.indexOf("serve") + 1];
  if (!Object.hasOwn(listeners, name)) throw new Error(`${commandLine.join(" ")} is not a process of Muster`);
  const [hostName, portName, usualPort] = listeners[name];
  const url = `http://${reachable(env[hostName]?.trim())}:${env[portName]?.trim() || usualPort}`;
  if (name === "all" || name === "gateway") await checkHttp(url);
  else await checkGrpc(url);
}

/** A process that listens on all addresses also listens on loopback. */
function reachable(host = "") {
  if (host === "" || host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}

async function checkHttp(url) {
  const { status } = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(timeoutMs) });
  if (status !== 200) throw new Error(`/healthz responds with ${status}`);
}

/** gRPC is HTTP/2 with messages behind a byte for compression and four for their length. */
async function checkGrpc(url) {
  const service = Buffer.from("liveness");
  const request = Buffer.concat([
    Buffer.from([0, 0, 0, 0, service.length + 2, 0x0a, service.length]),
    service,
  ]);
  const serving = Buffer.from([0, 0, 0, 0, 2, 0x08, 1]);
  const session = connect(url);
  const { promise, resolve, reject } = Promise.withResolvers();
  const timer = setTimeout(() => reject(new Error(`no response within ${timeoutMs} ms`)), timeoutMs);
  session.on("error", reject);
  const stream = session.request({
    ":method": "POST",
    ":path": "/grpc.health.v1.Health/Check",
    "content-type": "application/grpc",
    te: "trailers",
  });
  const received = [];
  stream.on("error", reject);
  stream.on("data", (chunk) => received.push(chunk));
  stream.on("end", () => resolve(Buffer.concat(received)));
  stream.end(request);
  try {
    if (!serving.equals(await promise)) throw new Error("its health is not SERVING");
  } finally {
    clearTimeout(timer);
    session.destroy();
  }
}

if (import.meta.main) {
  try {
    // The first process of the container, also behind an init process, which repeats the command line.
    await checkHealth(readFileSync("/proc/1/cmdline", "utf8").split("\0"), process.env);
  } catch (error) {
    console.error(`Unhealthy: ${error.cause?.message ?? error.message}`);
    process.exitCode = 1;
  }
}
