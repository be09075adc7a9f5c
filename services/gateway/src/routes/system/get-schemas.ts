import { protocolEditorSchema, settingsEditorSchema } from "@muster/language";
import type { AddRoute } from "../../context.ts";
import type { App } from "../../edge/http/app.ts";
import { ReferenceData, sendReferenceData } from "../../edge/http/reference-data.ts";
import { ifNoneMatch, openObjectOf, unchanged } from "../../schemas/common.ts";

/** The JSON Schemas of the files of an agent folder. Editors fetch them, so they are public and allow any origin. */
export const getSchemas: AddRoute = (app) => {
  addSchema(
    app,
    { operationId: "getProtocolSchema", name: "protocol", file: "protocol.yaml" },
    protocolEditorSchema,
  );
  addSchema(
    app,
    { operationId: "getSettingsSchema", name: "settings", file: "settings.json" },
    settingsEditorSchema,
  );
};

interface EditorSchema {
  operationId: string;
  name: string;
  /** The file that it describes. */
  file: string;
}

function addSchema(app: App, { operationId, name, file }: EditorSchema, make: () => unknown): void {
  let data: ReferenceData | undefined;
  app.route({
    method: "GET",
    url: `/schemas/${name}.json`,
    config: { sends: ["ETag", "Cache-Control"] },
    schema: {
      operationId,
      tags: ["Agents"],
      summary: `The JSON Schema of ${file}, for editors`,
      description: "Any origin may read it.",
      headers: ifNoneMatch,
      response: {
        200: openObjectOf("A JSON Schema."),
        304: unchanged,
      },
    },
    handler: async (_request, reply) => {
      data ??= ReferenceData.ofJson(make());
      reply.header("access-control-allow-origin", "*");
      await sendReferenceData(reply, data);
      return reply;
    },
  });
}
