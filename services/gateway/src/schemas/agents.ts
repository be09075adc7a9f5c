import { definitionLimits } from "@muster/language";
import {
  flag,
  inline,
  integer,
  list,
  nullable,
  object,
  oneOf,
  optional,
  Type,
  text,
} from "@muster/wire/schema";
import {
  body,
  idOf,
  managed,
  openObjectOf,
  segmentOf,
  severity,
  slug,
  slugPattern,
  subjectOf,
  timeOf,
} from "./common.ts";
import { agentExample, agentIdExample, executeExample, validationExample } from "./examples.ts";
import { maxUsd } from "./monthly-limits.ts";
import { dynamicToolSchemas, toolResults } from "./tools.ts";

export const agentParams = Type.Object({
  id: segmentOf("The id of the agent, or its slug."),
});

const by = optional(oneOf("How to read :id. Default: id.", ["id", "slug"]));

export const agentQuery = Type.Object({ by });

export const agentVersionQuery = Type.Object({
  by,
  version: optional(text("Default: the latest version.", { pattern: "^[1-9][0-9]{0,8}$" })),
});

const format = oneOf("`interactive`: holds conversations. `worker`: runs one task that returns a value.", [
  "interactive",
  "worker",
]);
const { nameLength, descriptionLength } = definitionLimits;
const name = text("The name for users.", { minLength: 1, maxLength: nameLength });
const description = text("What the agent does.", { maxLength: descriptionLength });
const protocol = text("The protocol: YAML, at most 128 KiB.");

const itemName = text("The name in the protocol.", { minLength: 1, maxLength: 200 });
const promptContent = text("The text, at most 64 KiB.");
const referenceContent = text("The text, at most 256 KiB.");
const referenceDescription = text("A summary that lets the model choose.", { maxLength: descriptionLength });

const prompt = object("Prompt", "A text that the protocol names.", {
  name: itemName,
  content: promptContent,
});

const reference = object("Reference", "A document that the agent may read.", {
  name: itemName,
  description: referenceDescription,
  content: referenceContent,
});

// Their number is not limited here: the agents service refuses too many with 413.
const promptsHint = "At most 256 prompts, 1 MiB in all.";
const referencesHint = "At most 256 references, 2 MiB in all.";
const prompts = list(promptsHint, prompt);
const references = list(referencesHint, reference);

export const createAgentBody = body("CreateAgentRequest", "The definition of the agent.", agentExample, {
  settings: object("AgentSettings", "The properties of the agent besides its protocol.", {
    slug,
    name,
    description: optional(description),
    format,
  }),
  protocol,
  prompts,
  references: optional(references),
  managed: optional(managed),
});

const named = { name: text("The name in the protocol."), content: text("The text.") };

/** The body of a create, with any values of the right types. The response reports values that are invalid or mistyped. */
export const validateAgentBody = body("ValidateAgentRequest", "The definition to check.", agentExample, {
  settings: inline("The properties of the agent besides its protocol.", {
    slug: text(`\`${slugPattern}\`, at most 64 characters.`),
    name: text("The name for users."),
    description: optional(text("What the agent does.")),
    format: text("`interactive` or `worker`."),
  }),
  protocol,
  prompts: list(promptsHint, Type.Object(named)),
  references: optional(
    list(
      referencesHint,
      Type.Object({ ...named, description: text("A summary that lets the model choose.") }),
    ),
  ),
});

const brief = { message: text("The problem, and what to do."), path: text("Where it is: a dotted path.") };
const errorLine = Type.Object({
  ...brief,
  severity: Type.Literal("error", { description: "Always `error`." }),
});
const warningLine = Type.Object({
  ...brief,
  severity: Type.Literal("warning", { description: "Always `warning`." }),
});

const diagnostic = object("Diagnostic", "A problem of a definition.", {
  code: text("The kind of problem. Codes are never renamed."),
  ...brief,
  severity,
  suggestions: optional(list("The closest known names.", Type.String())),
});

export const validationReply = body(
  "ValidationReport",
  "The findings that a create would report.",
  validationExample,
  {
    valid: flag("True if there are no errors."),
    errors: list("The issues of severity error, in short.", errorLine),
    warnings: list("The issues of severity warning, in short.", warningLine),
    issues: list("All issues.", diagnostic),
  },
);

export const updateAgentBody = body(
  "UpdateAgentRequest",
  "The parts to change. Each replaces the current one as a whole.",
  { settings: { description: "Answers questions about orders." } },
  {
    settings: optional(
      inline("The settings to change.", {
        name: optional(name),
        description: optional({ ...description, description: "An empty string removes it." }),
        format: optional(format),
        slug: optional(Type.Unknown({ description: "Refused, because a slug never changes." })),
      }),
    ),
    protocol: optional(protocol),
    prompts: optional(prompts),
    references: optional(references),
    managed: optional(managed),
  },
);

const agentId = text("The id of the agent.");

export const agentChangeReply = body(
  "AgentChange",
  "The change has been made.",
  { agentId: agentIdExample, message: "Agent created with 2 warnings" },
  { agentId, message: text("The outcome, with the number of warnings.") },
);

const storedPrompts = list("In the order given.", Type.Object(named));
const storedReferences = list(
  "In the order given.",
  Type.Object({
    name: text("The name in the protocol."),
    description: text("A summary that lets the model choose."),
    content: text("The text."),
  }),
);

export const agentReply = object("Agent", "One version of an agent.", {
  id: agentId,
  settings: inline("The properties of the agent besides its protocol.", {
    slug: text("Unique among the active agents of the project."),
    name: text("The name for users."),
    description: optional(text("What the agent does.")),
    format,
  }),
  protocol: text("The protocol, as given."),
  prompts: storedPrompts,
  references: storedReferences,
});

const listedAgent = object("AgentSummary", "An agent without its definition.", {
  id: agentId,
  projectId: text("The project of the agent."),
  slug: text("Unique among the active agents of the project."),
  name: text("The name for users."),
  description: nullable("What the agent does; null if it is not described."),
  format,
  managed: optional({ ...managed, description: "True if `muster apply` manages it. Absent: it does not." }),
  createdAt: timeOf("When the agent was created."),
  updatedAt: timeOf("When its latest version was created."),
});

export const agentListReply = object("AgentList", "The active agents of the project.", {
  agents: list("Newest first.", listedAgent),
});

const version = object("AgentVersion", "A version of an agent.", {
  version: integer("1, 2, 3 and so on."),
  createdAt: timeOf("When it was created."),
  changes: list(
    "The parts that differ from the previous version; `created` for the first one.",
    Type.String(),
  ),
});

export const agentVersionsReply = object("AgentVersionList", "The versions of the agent.", {
  versions: list("Newest first.", version),
});

export const executeAgentBody = body(
  "ExecuteRequest",
  "The start or the continuation of an execution.",
  executeExample,
  {
    type: oneOf("Whether to start an execution or to continue one.", ["start", "continue"]),
    input: optional(openObjectOf("For start: the input that the definition declares.")),
    maxUsd,
    subject: subjectOf("For start: the subject of the execution, as for a session."),
    dynamicToolSchemas: optional(dynamicToolSchemas),
    executionId: optional(idOf("Required for continue: the id from the `start` event.")),
    toolResults: optional({
      ...toolResults,
      description: "Required for continue. Calls without an entry are cancelled.",
    }),
  },
);
