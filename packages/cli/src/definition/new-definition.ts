import type { DefinitionSource } from "@muster/language";

/** A minimal chat agent that works without a model provider. `url` is the server whose schema editors use. */
export function newDefinition(slug: string, name: string, url: string): DefinitionSource {
  return {
    settings: { slug, name, format: "interactive" },
    protocol: `# yaml-language-server: $schema=${url}/schemas/protocol.json\n${protocol}`,
    prompts: [
      {
        name: "system",
        content: "You are a helpful assistant. Be brief. If you do not know something, say so.\n",
      },
      { name: "user-message", content: "{{USER_MESSAGE}}\n" },
    ],
    references: [],
  };
}

const protocol = `# docs/protocol.md describes the language. After each change, run: muster agents validate
triggers:
  user-message:
    input:
      USER_MESSAGE: { type: string, description: The message of the user }

agent:
  # A demonstration model that repeats the message. To list the available models, run: muster models
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
