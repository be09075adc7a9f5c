import { closest, type ReferenceSpec } from "@muster/protocol";
import type { PlatformCall, PlatformTool } from "./platform-tool.ts";

/** People see that something was looked up, not what it says: references are written for the model. */
const look = { display: "name" } as const;

export const referenceList: PlatformTool = {
  name: "platform_reference_list",
  description: "Lists the reference documents that you can read, with what each is about.",
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
  description: "Reads a reference document. platform_reference_list says which there are.",
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

/** Those of the thread: others of the definition are not this model's to read. */
function readable({ turn, config }: PlatformCall): ReferenceSpec[] {
  const { references } = turn.program;
  return config.references.flatMap((name) =>
    Object.hasOwn(references, name) ? (references[name] ?? []) : [],
  );
}

const maxQuotedLength = 100;

function noReference(name: string, { config }: PlatformCall): string {
  const problem = `There is no reference named ${JSON.stringify(name.slice(0, maxQuotedLength))}.`;
  const close = closest(name, config.references).map((known) => JSON.stringify(known));
  return close.length === 0
    ? `${problem} ${referenceList.name} lists what there is.`
    : `${problem} Did you mean ${close.join(" or ")}?`;
}
