import { isIP, type LookupFunction } from "node:net";
import { buildConnector } from "undici";
import type { Guard, GuardOptions, Resolve } from "./guard.ts";
import { notPublic } from "./guard.ts";
import { resolveLocalName, resolvePublicName, unknownHost } from "./resolve.ts";

/**
 * Connects to a host only at addresses that the guard allows. They are checked at the time of connecting, and nothing
 * resolves the name again, so a name that changes its address between check and use gains nothing.
 */
export function createConnector(
  guard: Guard,
  { resolve, ca }: GuardOptions,
  origin: string,
  signal: AbortSignal,
): buildConnector.connector {
  const resolver = resolve ?? (guard.isPrivateOrigin(origin) ? resolveLocalName : resolvePublicName);
  const connect = buildConnector({
    lookup: guardedLookup(guard, resolver, origin, signal),
    allowH2: false,
    maxCachedSessions: 0,
    autoSelectFamily: true,
    // The signal ends an attempt at the deadline of the whole fetch.
    timeout: 0,
    signal,
    ...(ca === undefined ? {} : { ca }),
  });
  return (options, callback) => {
    connect(options, (error, socket) => {
      if (error) return callback(error, null);
      // No name is resolved for an address, so this is the check of those, too.
      const { remoteAddress } = socket;
      if (remoteAddress !== undefined && guard.isAddressAllowed(origin, remoteAddress))
        return callback(null, socket);
      socket.destroy();
      callback(notPublic(new Error(`${origin} has the address ${remoteAddress}`)), null);
    });
  };
}

function guardedLookup(guard: Guard, resolve: Resolve, origin: string, signal: AbortSignal): LookupFunction {
  return (hostname, { all }, callback) => {
    allowedAddresses(guard, resolve, origin, hostname, signal).then(
      (found) => {
        if (all) callback(null, found);
        else callback(null, found[0].address, found[0].family);
      },
      (error: Error) => callback(error, []),
    );
  };
}

interface Address {
  address: string;
  family: number;
}

/** Refuses a name with any address that is not public: public names have none. */
async function allowedAddresses(
  guard: Guard,
  resolve: Resolve,
  origin: string,
  hostname: string,
  signal: AbortSignal,
): Promise<[Address, ...Address[]]> {
  const addresses = await resolve(hostname, signal).catch((cause: unknown) => {
    throw unknownHost(hostname, cause);
  });
  const forbidden = addresses.find((address) => !guard.isAddressAllowed(origin, address));
  if (forbidden !== undefined) throw notPublic(new Error(`${hostname} resolves to ${forbidden}`));
  const [first, ...others] = addresses.map((address) => ({ address, family: isIP(address) }));
  if (first === undefined) throw unknownHost(hostname);
  return [first, ...others];
}
