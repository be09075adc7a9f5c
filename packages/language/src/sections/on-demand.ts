import type { Computer, Display, InteractiveProgram, McpSource, OnDemandSpec } from "../program.ts";
import { defaulted, object, optional } from "../readers/fields.ts";
import { defined, listOf, made, type Reader, reader } from "../readers/readers.ts";
import { flag, nonEmptyText } from "../readers/value-readers.ts";
import { computer, contextRetention, contextRetentionDoc } from "./computers.ts";
import { mcpSource } from "./mcp-servers.ts";
import { display } from "./tools.ts";

const form = object({
  description: optional(nonEmptyText, "What they offer, for the model."),
  display: defaulted<Display>(display, "description", "What clients see of a call."),
  execution: defaulted<Computer>(computer, "sandbox", "Where they run."),
  contextRetention: optional(contextRetention, contextRetentionDoc),
});
const spec: Reader<OnDemandSpec> = made(form, (values) => defined(values));

const bySource = object({
  remote: optional(spec, "Servers that are configured for the project."),
  device: optional(spec, "Servers on the user's device."),
  consumer: optional(spec, "Servers of the application that runs the session."),
});

/** Reads the section `onDemandMcpServers`. */
export const onDemandMcpServerSpecs: Reader<InteractiveProgram["onDemandMcpServers"]> = made(
  bySource,
  (values) => defined(values),
);

/** Reads the section `onDemandSkills`. */
export const onDemandSkillSpec = spec;

/** Reads `onDemandMcpServers` of a thread. */
export const onDemandMcpServers: Reader<McpSource[]> = listOf(mcpSource, "sources");

const computers = listOf(computer, "kinds of computers");

/** Reads `onDemandSkills` of a thread. */
export const onDemandSkills: Reader<boolean | readonly Computer[]> = reader(
  { kind: "anyOf", shapes: [flag.shape, computers.shape] },
  (node, context) => (node.kind === "list" ? computers.read(node, context) : flag.read(node, context)),
);
