import { definitionLimits } from "@muster/language";
import { Type } from "@muster/wire/schema";
import { agentExample, agentIdExample, validationExample } from "./agent-examples.ts";
import { idSegment, nullable, severity, text, timeOf } from "./common.ts";

export const agentParams = Type.Object({
  id: { ...idSegment, description: "The id of the agent, or its slug." },
});

const by = Type.Optional(Type.Enum(["id", "slug"], { description: "How to read :id. Default: id." }));

export const agentQuery = Type.Object({ by });

export const agentVersionQuery = Type.Object({
  by,
  version: Type.Optional(
    Type.String({ pattern: "^[1-9][0-9]{0,8}$", description: "Default: the latest version." }),
  ),
});

export const ifMatch = Type.Object({
  "if-match": Type.Optional(
    text(
      'The expected version in quotes (`"3"`), several of them, or `*`. Any other current version is 412.',
    ),
  ),
});

const format = Type.Enum(["interactive", "worker"], {
  description: "`interactive`: holds conversations. `worker`: runs one task that returns a value.",
});
const slugPattern = "^[a-z0-9]+(-[a-z0-9]+)*$";
const { nameLength, descriptionLength } = definitionLimits;
const slug = Type.String({
  pattern: slugPattern,
  maxLength: 64,
  description: "Unique in the project. It never changes.",
});
const name = Type.String({ minLength: 1, maxLength: nameLength, description: "The name for users." });
const description = Type.String({ maxLength: descriptionLength, description: "What the agent does." });
const protocol = text("The protocol: YAML, at most 128 KiB.");

const itemName = Type.String({ minLength: 1, maxLength: 200, description: "The name in the protocol." });
const promptContent = text("The text, at most 64 KiB.");
const referenceContent = text("The text, at most 256 KiB.");
const referenceDescription = Type.String({
  maxLength: descriptionLength,
  description: "A summary that lets the model choose.",
});

const prompt = Type.Object(
  { name: itemName, content: promptContent },
  { title: "Prompt", description: "A text that the protocol names." },
);

const reference = Type.Object(
  { name: itemName, description: referenceDescription, content: referenceContent },
  { title: "Reference", description: "A document that the agent may read." },
);

// Their number is not limited here: the agents service refuses too many with 413.
const promptsHint = "At most 256 prompts, 1 MiB in all.";
const referencesHint = "At most 256 references, 2 MiB in all.";
const prompts = Type.Array(prompt, { description: promptsHint });
const references = Type.Array(reference, { description: referencesHint });

export const createAgentBody = Type.Object(
  {
    settings: Type.Object(
      { slug, name, description: Type.Optional(description), format },
      { title: "AgentSettings", description: "The properties of the agent besides its protocol." },
    ),
    protocol,
    prompts,
    references: Type.Optional(references),
  },
  { title: "CreateAgentRequest", description: "The definition of the agent.", examples: [agentExample] },
);

const named = { name: text("The name in the protocol."), content: text("The text.") };

/** The body of a create, with any values of the right types. The response reports values that are invalid or mistyped. */
export const validateAgentBody = Type.Object(
  {
    settings: Type.Object(
      {
        slug: text(`\`${slugPattern}\`, at most 64 characters.`),
        name: text("The name for users."),
        description: Type.Optional(text("What the agent does.")),
        format: text("`interactive` or `worker`."),
      },
      { description: "The properties of the agent besides its protocol." },
    ),
    protocol,
    prompts: Type.Array(Type.Object(named), { description: promptsHint }),
    references: Type.Optional(
      Type.Array(Type.Object({ ...named, description: text("A summary that lets the model choose.") }), {
        description: referencesHint,
      }),
    ),
  },
  { title: "ValidateAgentRequest", description: "The definition to check.", examples: [agentExample] },
);

const brief = { message: text("The problem, and what to do."), path: text("Where it is: a dotted path.") };
const errorLine = Type.Object({
  ...brief,
  severity: Type.Literal("error", { description: "Always `error`." }),
});
const warningLine = Type.Object({
  ...brief,
  severity: Type.Literal("warning", { description: "Always `warning`." }),
});

const diagnostic = Type.Object(
  {
    code: text("The kind of problem. Codes are never renamed."),
    ...brief,
    severity,
    suggestions: Type.Optional(Type.Array(Type.String(), { description: "The closest known names." })),
  },
  { title: "Diagnostic", description: "A problem of a definition." },
);

export const validationReply = Type.Object(
  {
    valid: Type.Boolean({ description: "True if there are no errors." }),
    errors: Type.Array(errorLine, { description: "The issues of severity error, in short." }),
    warnings: Type.Array(warningLine, { description: "The issues of severity warning, in short." }),
    issues: Type.Array(diagnostic, { description: "All issues." }),
  },
  { title: "ValidationReport", description: "What a create would report.", examples: [validationExample] },
);

export const updateAgentBody = Type.Object(
  {
    settings: Type.Optional(
      Type.Object(
        {
          name: Type.Optional(name),
          description: Type.Optional({ ...description, description: "An empty string removes it." }),
          format: Type.Optional(format),
          slug: Type.Optional(Type.Unknown({ description: "Refused, because a slug never changes." })),
        },
        { description: "The settings to change." },
      ),
    ),
    protocol: Type.Optional(protocol),
    prompts: Type.Optional(prompts),
    references: Type.Optional(references),
  },
  {
    title: "UpdateAgentRequest",
    description: "The parts to change. Each replaces the current one as a whole.",
    examples: [{ settings: { description: "Answers questions about orders." } }],
  },
);

const agentId = text("The id of the agent.");

export const agentChangeReply = Type.Object(
  { agentId, message: text("What has happened, with the number of warnings.") },
  {
    title: "AgentChange",
    description: "The change has been made.",
    examples: [{ agentId: agentIdExample, message: "Agent created with 2 warnings" }],
  },
);

const storedPrompts = Type.Array(Type.Object(named), { description: "In the order given." });
const storedReferences = Type.Array(
  Type.Object({
    name: text("The name in the protocol."),
    description: text("A summary that lets the model choose."),
    content: text("The text."),
  }),
  { description: "In the order given." },
);

export const agentReply = Type.Object(
  {
    id: agentId,
    settings: Type.Object(
      {
        slug: text("Unique among the active agents of the project."),
        name: text("The name for users."),
        description: Type.Optional(text("What the agent does.")),
        format,
      },
      { description: "The properties of the agent besides its protocol." },
    ),
    protocol: text("The protocol, as given."),
    prompts: storedPrompts,
    references: storedReferences,
  },
  { title: "Agent", description: "One version of an agent." },
);

const listedAgent = Type.Object(
  {
    id: agentId,
    projectId: text("The project of the agent."),
    slug: text("Unique among the active agents of the project."),
    name: text("The name for users."),
    description: nullable(Type.String(), "What the agent does; null if it is not described."),
    format,
    createdAt: timeOf("When the agent was created."),
    updatedAt: timeOf("When its latest version was created."),
  },
  { title: "AgentSummary", description: "An agent without its definition." },
);

export const agentListReply = Type.Object(
  { agents: Type.Array(listedAgent, { description: "Newest first." }) },
  { title: "AgentList", description: "The active agents of the project." },
);

const version = Type.Object(
  {
    version: Type.Integer({ description: "1, 2, 3 and so on." }),
    createdAt: timeOf("When it was created."),
    changes: Type.Array(Type.String(), {
      description: "The parts that differ from the previous version; `created` for the first one.",
    }),
  },
  { title: "AgentVersion", description: "A version of an agent." },
);

export const agentVersionsReply = Type.Object(
  { versions: Type.Array(version, { description: "Newest first." }) },
  { title: "AgentVersionList", description: "The versions of the agent." },
);
