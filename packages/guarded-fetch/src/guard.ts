import { FetchProblem } from "./fetch-problem.ts";
import { isPublicAddress } from "./is-public-address.ts";

/** The addresses of a host name. Rejects if it has none. */
export type Resolve = (hostname: string, signal: AbortSignal) => Promise<readonly string[]>;

/** Set by the operator and by tests, never from a user's input. */
export interface GuardOptions {
  /**
   * Origins that may have private addresses, and use http if they begin with it: `https://idp.corp.internal`,
   * `http://127.0.0.1:8080`. Default: none.
   */
  privateOrigins?: readonly string[];
  /**
   * Hosts of which every origin is such an origin: `mcp.corp.internal`, `10.0.0.7`, or `.corp.internal` for all names
   * below it. Default: none.
   */
  privateHosts?: readonly string[];
  /** Default: 443 and everything from 1024, without the ports of other well-known services. */
  isPortAllowed?: (port: number) => boolean;
  /** Default: `isPublicAddress`. */
  isPublic?: (address: string) => boolean;
  /** Default: DNS for public names, and the system's resolver (which reads /etc/hosts) for private origins. */
  resolve?: Resolve;
  /** Certificate authorities in PEM, instead of Node's. */
  ca?: string;
}

/** The addresses that may be connected to. */
export type Guard = ReturnType<typeof createGuard>;

export function createGuard({
  privateOrigins = [],
  privateHosts = [],
  isPortAllowed = isUsualPort,
  isPublic = isPublicAddress,
}: GuardOptions) {
  const origins = new Set(privateOrigins.map(parseOrigin));
  const hosts = privateHosts.map(parseHost);
  const isPrivateOrigin = (origin: string) => origins.has(origin) || isListed(hosts, URL.parse(origin));
  return {
    isPrivateOrigin,
    isAddressAllowed: (origin: string, address: string) => isPublic(address) || isPrivateOrigin(origin),
    /** Throws FetchProblem unless the URL may be fetched, as far as its text shows. */
    check: (url: URL) => {
      if (url.username !== "" || url.password !== "") {
        throw new FetchProblem("credentials-in-url", "The URL must not contain a user name or password.");
      }
      if (isPrivateOrigin(url.origin)) return;
      if (url.protocol !== "https:") throw new FetchProblem("not-https", "The URL must begin with https://.");
      if (!isPortAllowed(url.port === "" ? 443 : Number(url.port))) {
        throw new FetchProblem("port", `The port ${url.port} of the URL is not allowed.`);
      }
      const address = addressIn(url);
      if (address !== undefined && !isPublic(address)) throw notPublic();
    },
  };
}

/** Throws FetchProblem for text that is not an absolute URL. */
export function parseUrl(text: string | URL): URL {
  const url = URL.parse(String(text));
  if (url === null) throw new FetchProblem("invalid-url", "This is not an absolute URL.");
  return url;
}

export function notPublic(cause?: unknown): FetchProblem {
  return new FetchProblem("private-address", "The URL does not lead to a public address.", { cause });
}

/** The IP address in a URL, which the WHATWG parser has brought into its usual form; undefined for a host name. */
function addressIn({ hostname }: URL): string | undefined {
  if (hostname.startsWith("[")) return hostname.slice(1, -1);
  return /^[\d.]+$/.test(hostname) ? hostname : undefined;
}

/** Throws TypeError, because an entry that matches nothing, or more than meant, would go unnoticed. */
export function parseOrigin(text: string): string {
  const url = URL.parse(text);
  const isOrigin = url !== null && (text === url.origin || text === `${url.origin}/`);
  if (isOrigin && (url.protocol === "https:" || url.protocol === "http:")) return url.origin;
  throw new TypeError(`${text} is not an origin such as https://idp.example or http://10.0.0.7:8080`);
}

/** A host, or the end of names. Throws TypeError, as {@link parseOrigin} does. */
export function parseHost(text: string): string {
  const name = text.startsWith(".") ? `a${text}` : text;
  // The parser of URLs changes what would never match: capitals, other forms of an address.
  if (URL.parse(`https://${name}`)?.hostname === name && isHost.test(name)) return text;
  throw new TypeError(`${text} is not a host such as mcp.corp.internal, 10.0.0.7 or .corp.internal`);
}

const isHost = /^(\[[\da-f:]+\]|[\w-]+(\.[\w-]+)*)$/;

function isListed(hosts: readonly string[], url: URL | null): boolean {
  if (url?.protocol !== "https:" && url?.protocol !== "http:") return false;
  const { hostname } = url;
  return hosts.some((host) => (host.startsWith(".") ? hostname.endsWith(host) : hostname === host));
}

/** Databases, caches, queues and consoles that listen above 1023. A request could be taken for their protocol. */
const otherServices = new Set([
  1433, 1521, 2049, 2375, 2376, 2379, 3306, 3389, 4222, 5432, 5672, 5900, 6000, 6379, 6443, 9042, 9092, 9200,
  10250, 11211, 27017,
]);

function isUsualPort(port: number): boolean {
  return port === 443 || (port >= 1024 && !otherServices.has(port));
}
