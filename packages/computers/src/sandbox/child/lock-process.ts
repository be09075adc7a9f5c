import dgram from "node:dgram";
import dns from "node:dns";
import net from "node:net";

/**
 * The shell has no access to these modules. If something got out of it nevertheless, it finds no network here either, because only
 * the parent process makes connections, and no way to signal another process.
 */
export function lockProcess(): void {
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
    for (const name of Object.getOwnPropertyNames(place)) if (names.test(name)) lock(place, name);
  }
  for (const name of ["kill", "_kill", "_debugProcess", "dlopen"]) lock(process, name);
}

function lock(place: object, name: string): void {
  const value = (): never => {
    throw new Error(`${name} is switched off in this process`);
  };
  Object.defineProperty(place, name, { value, writable: false, configurable: false });
}
