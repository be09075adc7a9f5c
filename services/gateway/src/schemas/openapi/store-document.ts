import { hash } from "node:crypto";
import { nextTurn } from "@muster/large-data";
import type { FastifyRequest } from "fastify";
import type { App } from "../../edge/http/app.ts";
import { baseUrlOf } from "../../edge/http/headers.ts";
import { ReferenceData } from "../../edge/http/reference-data.ts";
import { openApiParts } from "./open-api-parts.ts";
import { type DocumentPart, withComponents } from "./with-components.ts";

/** The OpenAPI document as the caller of a request may use it. `isKept`: later callers get the same bytes. */
export type DocumentFor = (request: FastifyRequest) => Promise<{ data: ReferenceData; isKept: boolean }>;

/** Callers can name any address in `Host`. Beyond this many, each request gets a document of its own, uncompressed. */
const maxAddresses = 8;

/** Makes the document with the first request, in parts: together they take 0.2 s. It is kept for each address of the server. */
export function storeDocument(app: Pick<App, "getDecorator">, publicUrl: string | undefined): DocumentFor {
  let rest: ReturnType<typeof restOf> | undefined;
  const kept = new Map<string, ReferenceData>();
  return async (request) => {
    const servers = JSON.stringify([{ url: publicUrl ?? baseUrlOf(request) ?? "/" }]);
    const known = kept.get(servers);
    if (known !== undefined) return { data: known, isKept: true };
    rest ??= restOf(withComponents(partsOf(app)));
    const { bytes, bytesHash } = await rest;
    const body = Buffer.concat([Buffer.from(`{"servers":${servers},`), bytes]);
    const data = new ReferenceData(body, hash("sha256", servers + bytesHash, "base64url"));
    const isKept = kept.size < maxAddresses;
    if (isKept) kept.set(servers, data);
    return { data, isKept };
  };
}

/** Everything behind the address of the server. */
async function restOf(document: Promise<object>) {
  const bytes = Buffer.from(JSON.stringify(await document).slice(1));
  return { bytes, bytesHash: hash("sha256", bytes, "base64url") };
}

async function* partsOf(app: Pick<App, "getDecorator">): AsyncGenerator<DocumentPart> {
  for (const { decorator } of openApiParts) {
    await nextTurn();
    const part = app.getDecorator<() => DocumentPart>(decorator)();
    await nextTurn();
    yield part;
  }
}
