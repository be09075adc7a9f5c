import { Metadata } from "@grpc/grpc-js";

declare global {
  /** Connect's types name this global of the DOM library, which Node's types lack. */
  type HeadersInit = NonNullable<ConstructorParameters<typeof Headers>[0]>;
}

/**
 * Converts fetch headers to gRPC metadata. Binary fields (`…-bin`) are base64 in headers and bytes in metadata. Names
 * that gRPC cannot carry, or that its transport writes itself, are left out; characters outside ASCII become `?`.
 */
export function toMetadata(headers: HeadersInit | undefined): Metadata {
  const metadata = new Metadata();
  if (headers === undefined) return metadata;
  for (const [name, value] of entriesOf(headers)) {
    const key = name.toLowerCase();
    if (!isCarried(key)) continue;
    if (key.endsWith("-bin")) {
      for (const part of value.split(",")) metadata.add(key, Buffer.from(part.trim(), "base64"));
    } else {
      metadata.add(key, value.replace(/[^\x20-\x7e]/g, "?"));
    }
  }
  return metadata;
}

/** Converts gRPC metadata to fetch headers. */
export function toHeaders(metadata: Metadata): Headers {
  const headers = new Headers();
  for (const [key, values] of Object.entries(metadata.toJSON())) {
    for (const value of values) {
      headers.append(key, typeof value === "string" ? value : value.toString("base64"));
    }
  }
  return headers;
}

/** The first value of a text field. */
export function readText(metadata: Metadata, key: string): string | undefined {
  const value = metadata.get(key)[0];
  return typeof value === "string" ? value : undefined;
}

function entriesOf(headers: HeadersInit): Iterable<[string, string]> {
  if (headers instanceof Headers) return headers;
  if (Array.isArray(headers)) return new Headers(headers);
  return Object.entries(headers).map(([name, value]) => [name, String(value)]);
}

function isCarried(key: string): boolean {
  return /^[0-9a-z_.-]+$/.test(key) && !key.startsWith("grpc-") && key !== "content-type" && key !== "te";
}
