import { closest, type ReferenceSpec } from "@muster/language";
import type { PlatformCall, PlatformTool } from "./platform-tool.ts";

/** Users see that a reference was read, but not its content, which is written for the model. */
const look = { display: "name" } as const;

export const referenceList: PlatformTool = {
  name: "platform_reference_list",
  description: "Lists the reference documents that you can read, with a description of each.",
  inputSchema: { type: "object", properties: {} },
  look,
  isOffered: ({ references }) => references.length > 0,
  run: (_args, call) => ({
    ok: true,
    result: readable(call).map(({ name, description }) => ({ name, description })),
  }),
};

export const referenceRead: PlatformTool = {
  name: "platform_reference_read",
  description: "Reads a reference document. platform_reference_list lists the available documents.",
  inputSchema: {
    type: "object",
    properties: { name: { type: "string", description: "The name of the document." } },
    required: ["name"],
  },
  look,
  isOffered: referenceList.isOffered,
  run: ({ name }, call) => {
    const found = readable(call).find((reference) => reference.name === name);
    return found === undefined
      ? { ok: false, error: noReference(String(name), call) }
      : { ok: true, reference: found.name };
  },
};

/** The thread's references: the model may not read others of the definition. */
function readable({ turn, config }: PlatformCall): ReferenceSpec[] {
  const { references } = turn.program;
  return config.references.flatMap((name) =>
    Object.hasOwn(references, name) ? (references[name] ?? []) : [],
  );
}

const maxQuotedLength = 100;

function noReference(name: string, { config }: PlatformCall): string {
  const problem = `The reference ${JSON.stringify(name.slice(0, maxQuotedLength))} does not exist.`;
  const close = closest(name, config.references).map((known) => JSON.stringify(known));
  return close.length === 0
    ? `${problem} ${referenceList.name} lists the available documents.`
    : `${problem} Did you mean ${close.join(" or ")}?`;
}
