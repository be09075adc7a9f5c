import type { DefinitionSource } from "@muster/protocol";

/** A chat that works without a model provider, to start from. */
export function newDefinition(slug: string, name: string): DefinitionSource {
  return {
    settings: { slug, name, format: "interactive" },
    protocol,
    prompts: [
      {
        name: "system",
        content: "You are a helpful assistant. Be brief, and say so when you do not know.\n",
      },
      { name: "user-message", content: "{{USER_MESSAGE}}\n" },
    ],
    references: [],
  };
}

const protocol = `# The language: docs/protocol.md. After a change: muster agents validate.
triggers:
  user-message:
    input:
      USER_MESSAGE: { type: string, description: What the user wrote }

agent:
  # A demonstration that repeats the message. muster models lists what there is.
  model: demo/echo
  system: system

handlers:
  user-message:
    Add the message:
      block: add-message
      role: user
      prompt: user-message
      input: [USER_MESSAGE]
    Answer:
      block: next-message
`;
