import assert from "node:assert/strict";
import { record, type TestClient } from "@muster/testing";

/** An operation of the OpenAPI document. */
export interface Operation {
  method: string;
  /** Such as `/api/agents/{id}`. */
  path: string;
  operationId: string;
  /** Undefined if it has no body. */
  example: unknown;
  /** The documented successes. */
  successes: string[];
}

export async function readDocument(client: TestClient): Promise<Record<string, unknown>> {
  return client.json(200, "GET", "/openapi.json");
}

export function operationsOf(document: Record<string, unknown>): Operation[] {
  return Object.entries(record(document.paths)).flatMap(([path, methods]) =>
    Object.entries(record(methods)).map(([method, described]) => {
      const { operationId, requestBody, responses } = record(described);
      assert.equal(typeof operationId, "string", `${method} ${path}`);
      return {
        method: method.toUpperCase(),
        path,
        operationId: String(operationId),
        example: requestBody === undefined ? undefined : exampleIn(record(requestBody)),
        successes: Object.keys(record(responses)).filter((status) => status.startsWith("2")),
      };
    }),
  );
}

function exampleIn({ content }: Record<string, unknown>): unknown {
  return record(record(content)["application/json"]).example;
}
