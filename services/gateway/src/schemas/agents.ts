import { definitionLimits } from "@muster/protocol";
import { Type } from "typebox";
import { agentExample, agentIdExample, validationExample } from "./agent-examples.ts";
import { idSegment, timestamp } from "./common.ts";

export const agentParams = Type.Object({ id: idSegment });

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
    Type.String({
      description:
        'The expected version in quotes (`"3"`), several of them, or `*`. Any other current version is 412.',
    }),
  ),
});

const format = Type.Enum(["interactive", "worker"]);
const slugPattern = "^[a-z0-9]+(-[a-z0-9]+)*$";
const slug = Type.String({ pattern: slugPattern, maxLength: 64 });
const { nameLength, descriptionLength } = definitionLimits;
const name = Type.String({ minLength: 1, maxLength: nameLength });
const description = Type.String({ maxLength: descriptionLength });
const protocol = Type.String({ description: "YAML, at most 128 KiB." });

const promptContent = Type.String({ description: "At most 64 KiB." });
const referenceContent = Type.String({ description: "At most 256 KiB." });

const prompt = Type.Object({ name: Type.String({ minLength: 1, maxLength: 200 }), content: promptContent });

const reference = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 200 }),
  description,
  content: referenceContent,
});

// Their number is not limited here: the agents service refuses too many with 413.
const promptsHint = "At most 256 prompts, 1 MiB in all.";
const referencesHint = "At most 256 references, 2 MiB in all.";
const prompts = Type.Array(prompt, { description: promptsHint });
const references = Type.Array(reference, { description: referencesHint });

export const createAgentBody = Type.Object(
  {
    settings: Type.Object({ slug, name, description: Type.Optional(description), format }),
    protocol,
    prompts,
    references: Type.Optional(references),
  },
  { examples: [agentExample] },
);

const named = { name: Type.String(), content: Type.String() };

/** The body of a create, with any values of the right types: the response reports which of them are invalid. */
export const validateAgentBody = Type.Object(
  {
    settings: Type.Object({
      slug: Type.String({ description: `${slugPattern}, at most 64 characters` }),
      name: Type.String(),
      description: Type.Optional(Type.String()),
      format: Type.String({ description: "interactive or worker" }),
    }),
    protocol,
    prompts: Type.Array(Type.Object(named), { description: promptsHint }),
    references: Type.Optional(
      Type.Array(Type.Object({ ...named, description: Type.String() }), { description: referencesHint }),
    ),
  },
  { examples: [agentExample] },
);

const brief = { message: Type.String(), path: Type.String({ description: "Dotted path." }) };
const errorLine = Type.Object({ ...brief, severity: Type.Literal("error") });
const warningLine = Type.Object({ ...brief, severity: Type.Literal("warning") });

export const validationReply = Type.Object(
  {
    valid: Type.Boolean({ description: "True if there are no errors." }),
    errors: Type.Array(errorLine, { description: "The issues of severity error, in short." }),
    warnings: Type.Array(warningLine, { description: "The issues of severity warning, in short." }),
    issues: Type.Array(
      Type.Object({
        code: Type.String({ description: "Codes are never renamed." }),
        ...brief,
        severity: Type.Enum(["error", "warning", "info"]),
        suggestions: Type.Optional(Type.Array(Type.String(), { description: "The closest known names." })),
      }),
      { description: "All issues." },
    ),
  },
  { examples: [validationExample] },
);

export const updateAgentBody = Type.Object(
  {
    settings: Type.Optional(
      Type.Object({
        name: Type.Optional(name),
        description: Type.Optional({ ...description, description: "An empty string removes it." }),
        format: Type.Optional(format),
        slug: Type.Optional(Type.Unknown({ description: "Refused, because a slug never changes." })),
      }),
    ),
    protocol: Type.Optional(protocol),
    prompts: Type.Optional(prompts),
    references: Type.Optional(references),
  },
  { examples: [{ settings: { description: "Answers questions about orders." } }] },
);

export const agentChangeReply = Type.Object(
  { agentId: Type.String(), message: Type.String() },
  { examples: [{ agentId: agentIdExample, message: "Agent created with 2 warnings" }] },
);

export const agentReply = Type.Object({
  id: Type.String(),
  settings: Type.Object({
    slug: Type.String(),
    name: Type.String(),
    description: Type.Optional(Type.String()),
    format,
  }),
  protocol: Type.String(),
  prompts: Type.Array(Type.Object({ name: Type.String(), content: Type.String() })),
  references: Type.Array(
    Type.Object({ name: Type.String(), description: Type.String(), content: Type.String() }),
  ),
});

export const agentListReply = Type.Object({
  agents: Type.Array(
    Type.Object({
      id: Type.String(),
      projectId: Type.String(),
      slug: Type.String(),
      name: Type.String(),
      description: Type.Union([Type.String(), Type.Null()]),
      format,
      createdAt: timestamp,
      updatedAt: timestamp,
    }),
  ),
});

export const agentVersionsReply = Type.Object({
  versions: Type.Array(
    Type.Object({ version: Type.Integer(), createdAt: timestamp, changes: Type.Array(Type.String()) }),
  ),
});
