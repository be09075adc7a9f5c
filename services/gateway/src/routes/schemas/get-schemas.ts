import { protocolEditorSchema, settingsEditorSchema } from "@muster/protocol";
import { Type } from "typebox";
import { type ReferenceData, referenceData, sendReferenceData } from "../../http/reference-data.ts";
import { ifNoneMatch, unchanged } from "../../schemas/common.ts";
import type { AddRoute, App } from "../app.ts";

/** The JSON Schemas of the files of an agent folder. Editors fetch them, so they are public and allow any origin. */
export const getSchemas: AddRoute = (app) => {
  addSchema(app, "protocol", "protocol.yaml", protocolEditorSchema);
  addSchema(app, "settings", "settings.json", settingsEditorSchema);
};

function addSchema(app: App, name: string, file: string, make: () => unknown): void {
  let data: ReferenceData | undefined;
  app.route({
    method: "GET",
    url: `/schemas/${name}.json`,
    config: { access: "public" },
    schema: {
      tags: ["Agents"],
      summary: `The JSON Schema of ${file}, for editors`,
      headers: ifNoneMatch,
      response: {
        200: Type.Object({}, { additionalProperties: true }),
        304: unchanged,
      },
    },
    handler: async (_request, reply) => {
      data ??= referenceData(make());
      reply.header("access-control-allow-origin", "*");
      sendReferenceData(reply, data);
      return reply;
    },
  });
}
