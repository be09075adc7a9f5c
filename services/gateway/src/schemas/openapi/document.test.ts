import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { type Json, startEdge } from "../../../test/support/start-edge.ts";
import { accessTable } from "../../auth/access-table.ts";

async function readDocument(t: Parameters<typeof startEdge>[0], changed = {}, headers = {}): Promise<Json> {
  const edge = await startEdge(t, {}, changed);
  return (await edge.call("GET", "/openapi.json", { key: null, headers })).json;
}

interface Found {
  where: string;
  operation: Json;
}

const operationsOf = ({ paths }: Json): Found[] =>
  Object.entries<Json>(paths).flatMap(([path, methods]) =>
    Object.entries<Json>(methods).map(([method, operation]) => ({ where: `${method} ${path}`, operation })),
  );

/** The places of schemas and properties without a description. References and constants need none. */
function undescribed(schema: Json, where: string): string[] {
  if (schema.$ref !== undefined || schema.const !== undefined) return [];
  const own = schema.description === undefined ? [where] : [];
  const inner = Object.entries<Json>(schema.properties ?? {}).flatMap(([name, field]) =>
    undescribed(field, `${where}.${name}`),
  );
  // The array describes its items unless they have fields.
  const items = schema.items?.properties
    ? undescribed({ description: "", ...schema.items }, `${where}[]`)
    : [];
  return [...own, ...inner, ...items];
}

describe("the OpenAPI document", () => {
  test("every operation has a unique camelCase id, a known tag, a summary and a description", async (t) => {
    const document = await readDocument(t);
    const operations = operationsOf(document);
    const tags = document.tags.map(({ name }: { name: string }) => name);
    for (const { where, operation } of operations) {
      assert.match(operation.operationId, /^[a-z]+([A-Z][a-z]+)+$/, where);
      assert.ok(tags.includes(operation.tags[0]), where);
      assert.ok(operation.summary && operation.description, where);
    }
    const ids = new Set(operations.map(({ operation }) => operation.operationId));
    assert.equal(ids.size, operations.length);
    assert.ok(["createSession", "triggerSession", "executeAgent"].every((id) => ids.has(id)));
  });

  test("every route of the API is in it", async (t) => {
    const documented = operationsOf(await readDocument(t)).map(({ where }) => where.toLowerCase());
    const routes = Object.keys(accessTable).filter((route) => route.includes(" /api/"));
    const places = routes.map((route) => route.replace(/:(\w+)/g, "{$1}").toLowerCase());
    assert.deepEqual(
      places.filter((place) => !documented.includes(place)),
      [],
    );
  });

  test("every parameter and every field of every schema has a description", async (t) => {
    const document = await readDocument(t);
    const { schemas, parameters } = document.components;
    const missing = Object.entries<Json>(schemas).flatMap(([name, schema]) => undescribed(schema, name));
    for (const { where, operation } of operationsOf(document)) {
      for (const parameter of [...(operation.parameters ?? []), ...Object.values<Json>(parameters)]) {
        if (parameter.$ref === undefined && !parameter.description)
          missing.push(`${where} ${parameter.name}`);
      }
    }
    assert.deepEqual(missing, []);
  });

  test("bodies and responses are named schemas, not copies", async (t) => {
    const { paths, components } = await readDocument(t);
    const inline = operationsOf({ paths }).flatMap(({ where, operation }) => {
      const contents = [operation.requestBody, ...Object.values<Json>(operation.responses)].flatMap((part) =>
        Object.values<Json>(part?.content ?? {}),
      );
      const schemas = contents.map(({ schema }) => schema);
      return schemas.some(({ $ref, properties }) => $ref === undefined && properties !== undefined)
        ? [where]
        : [];
    });
    // Other documents, of which only the type is known.
    const open = ["get /openapi.json", "get /schemas/protocol.json", "get /schemas/settings.json"];
    assert.deepEqual(
      inline.filter((where) => !open.includes(where)),
      [],
    );
    assert.equal(components.schemas.StreamEvent.discriminator.propertyName, "type");
    const { oneOf, discriminator } = components.schemas.StreamEvent;
    const refs = oneOf.map(({ $ref }: { $ref: string }) => $ref);
    assert.deepEqual(Object.values(discriminator.mapping).sort(), refs.sort());
  });

  test("only routes that need no key are without security", async (t) => {
    const document = await readDocument(t);
    const open = operationsOf(document).filter(({ operation }) => operation.security.length === 0);
    assert.deepEqual(open.map(({ where }) => where).sort(), [
      "delete /api/logins/current",
      "get /agents/{id}",
      "get /api/files/{fileId}",
      "get /api/logins/oidc",
      "get /api/logins/oidc/callback",
      "get /api/logins/ways",
      "get /api/models",
      "get /healthz",
      "get /openapi.json",
      "get /readyz",
      "get /schemas/protocol.json",
      "get /schemas/settings.json",
      "get /sessions/{id}",
      "post /api/tool-calls/{callId}/result",
      "post /hooks/{hookId}",
      "put /api/files/{fileId}",
    ]);
    for (const { where, operation } of operationsOf(document)) {
      const isOpen = operation.security.length === 0;
      // Without a key, the signature of a body can be wrong, and so can a cookie.
      const isUnsigned = isOpen && !/\/api\/(?:tool-calls\/|logins\/current)/.test(where);
      assert.equal(operation.responses["401"] === undefined, isUnsigned, where);
      // Without a key, the signature in the URL of a file can be wrong, and so can the origin of a page.
      const isRefused = !isOpen || / \/api\/(?:files\/\{fileId\}|logins\/(?:current|oidc.*))$/.test(where);
      assert.equal(operation.responses["403"] !== undefined, isRefused, where);
    }
  });

  test("every error response lists its codes and its headers", async (t) => {
    const { paths, components } = await readDocument(t);
    for (const { where, operation } of operationsOf({ paths })) {
      for (const [status, response] of Object.entries<Json>(operation.responses)) {
        const { headers, content } = response.$ref
          ? components.responses[response.$ref.split("/").at(-1)]
          : response;
        assert.ok(headers["X-Request-Id"], `${where} ${status}`);
        if (status === "401") assert.ok(headers["WWW-Authenticate"], where);
        if (status === "429" || status === "503") assert.ok(headers["Retry-After"], where);
        if (Number(status) < 400) continue;
        if (content["application/json"].schema.$ref === "#/components/schemas/NotReady") continue;
        // The errors of dialects have shapes of their own.
        if (operation.tags[0] === "Dialects" && content["application/json"].schema.$ref) continue;
        const [base, narrowed] = content["application/json"].schema.allOf;
        assert.equal(base.$ref, "#/components/schemas/Error");
        assert.ok(narrowed.properties.code.enum.length > 0, `${where} ${status}`);
      }
    }
  });

  test("the server of the document is PUBLIC_URL, or else the address of the request", async (t) => {
    const headers = { "x-forwarded-host": "other.example", "x-forwarded-proto": "https" };
    const local = await readDocument(t);
    assert.match(local.servers[0].url, /^http:\/\/127\.0\.0\.1:\d+$/);
    const untrusted = await readDocument(t, {}, headers);
    assert.match(untrusted.servers[0].url, /^http:\/\/127\.0\.0\.1:\d+$/);
    const proxied = await readDocument(t, { trustedProxies: ["127.0.0.0/8"] }, headers);
    assert.equal(proxied.servers[0].url, "https://other.example");
    const fixed = await readDocument(t, { publicUrl: "https://muster.example.com/api" }, headers);
    assert.deepEqual(fixed.servers, [{ url: "https://muster.example.com/api" }]);
  });
});
