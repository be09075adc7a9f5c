// Loaded into each process before its program (`node --import`). Names under .muster.test are resolved by the DNS server in
// TEST_DNS_SERVER, because the operating system asks its own, always on port 53. SIGUSR2 makes the process print how many
// calls it has received.
import diagnostics from "node:diagnostics_channel";
import dns from "node:dns";
import { syncBuiltinESMExports } from "node:module";

const resolver = new dns.promises.Resolver({ timeout: 1_000, tries: 2 });
resolver.setServers([process.env.TEST_DNS_SERVER ?? ""]);
const systemLookup = dns.promises.lookup;

const lookup = async (name: string, options: dns.LookupOptions) =>
  name.endsWith(".muster.test")
    ? (await resolver.resolve4(name)).map((address) => ({ address, family: 4 }))
    : systemLookup(name, options);

Object.assign(dns.promises, { lookup });
syncBuiltinESMExports();

let calls = 0;
let streams = 0;

diagnostics.subscribe("http2.server.stream.start", (message) => {
  const path = pathOf(message);
  if (path.startsWith("/grpc.health.")) return;
  calls++;
  if (path.endsWith("/Trigger")) streams++;
});

function pathOf(message: unknown): string {
  if (typeof message !== "object" || message === null || !("headers" in message)) return "";
  const { headers } = message;
  if (typeof headers !== "object" || headers === null || !(":path" in headers)) return "";
  return String(headers[":path"]);
}

let reports = 0;
process.on("SIGUSR2", () => console.log(`calls ${++reports} ${calls} ${streams}`));
