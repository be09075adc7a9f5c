import type { JsonSchema } from "@muster/language/json";
import type { ComputerTool } from "../computer.ts";

/** Longer scripts belong in a file. */
export const maxCommandLength = 100_000;
export const maxContentLength = 1_000_000;
export const defaultTimeoutSeconds = 120;
export const maxTimeoutSeconds = 600;
export const defaultLines = 1_000;
export const maxLines = 10_000;

/**
 * The tools that a computer offers to the model, with sentences about what a command finds. Relative paths start at `home`, and
 * files of messages are in `files` below it.
 */
export function computerTools(commands: string, home: string): readonly ComputerTool[] {
  const path = (purpose: string): JsonSchema => ({
    type: "string",
    description: `${purpose}. Relative paths start at ${home}.`,
  });
  return [
    {
      name: "shell__run_command",
      description:
        "Runs a bash script on your computer and returns its exit code and output. Files are kept between commands; variables and " +
        `the directory are not. ${commands} Long output is cut in the middle: write it to a file and read parts of it.`,
      inputSchema: {
        type: "object",
        properties: {
          command: { type: "string", description: "The script.", minLength: 1, maxLength: maxCommandLength },
          timeoutSeconds: {
            type: "integer",
            minimum: 1,
            maximum: maxTimeoutSeconds,
            description: `After how many seconds it is stopped. Default: ${defaultTimeoutSeconds}.`,
          },
          cwd: path(`Directory in which it starts. Default: ${home}`),
        },
        required: ["command"],
        additionalProperties: false,
      },
    },
    {
      name: "files__read",
      description: "Reads lines of a text file on your computer. The result says where the next lines start.",
      inputSchema: {
        type: "object",
        properties: {
          path: path("The file"),
          offset: { type: "integer", minimum: 1, description: "First line. Default: 1." },
          limit: {
            type: "integer",
            minimum: 1,
            maximum: maxLines,
            description: `How many lines. Default: ${defaultLines}.`,
          },
        },
        required: ["path"],
        additionalProperties: false,
      },
    },
    {
      name: "files__write",
      description:
        "Creates or replaces a text file on your computer, with its directories, or appends to it.",
      inputSchema: {
        type: "object",
        properties: {
          path: path("The file"),
          content: { type: "string", maxLength: maxContentLength },
          append: { type: "boolean", description: "Adds to the end instead of replacing. Default: false." },
        },
        required: ["path", "content"],
        additionalProperties: false,
      },
    },
    {
      name: "files__list",
      description: `Lists a directory on your computer. Files of messages are in ${home}/files.`,
      inputSchema: {
        type: "object",
        properties: {
          path: path(`The directory. Default: ${home}`),
          recursive: { type: "boolean", description: "Includes what is below. Default: false." },
        },
        additionalProperties: false,
      },
    },
  ];
}
