import dgram from "node:dgram";
import dns from "node:dns";
import net from "node:net";

/**
 * The shell has no access to these modules. If something got out of it nevertheless, it finds no network here either: only the
 * parent process makes connections.
 */
export function lockNetwork(): void {
  const refuse = (): never => {
    throw new Error("this process has no network");
  };
  const places: object[] = [
    net.Socket.prototype,
    net.Server.prototype,
    dgram.Socket.prototype,
    dns,
    dns.promises,
    dns.Resolver.prototype,
    dns.promises.Resolver.prototype,
  ];
  const names = /^(?:connect|listen|bind|send|lookup|lookupService|resolve\w*|reverse)$/;
  for (const place of places) {
    for (const name of Object.getOwnPropertyNames(place)) {
      if (names.test(name)) Object.defineProperty(place, name, { value: refuse });
    }
  }
}
