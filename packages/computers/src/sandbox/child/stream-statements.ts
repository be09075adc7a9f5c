import type { ScriptNode, StatementNode } from "just-bash";
import { streamPaths } from "./shell-fs.ts";

// The shell returns the output of a script when the script has ended. To show it while the script runs, each statement
// at the top level, also inside loops and branches there, becomes `{ statement; } >>stdout 2>>stderr`: a group runs in
// the same shell, so variables, functions, the directory and exit codes stay unchanged.

type CommandNode = StatementNode["pipelines"][number]["commands"][number];

/**
 * With `exec`, redirections would end with the group; a group has a `PIPESTATUS` of its own; and an unset variable would end the group
 * instead of the script. Such scripts are shown at their end. (`find -exec` is harmless.)
 */
const needsWholeScript = /(?<![-\w])exec(?![\w-])|PIPESTATUS|nounset|set\s+(-\w+\s+)*-\w*u/;

/** The script with its statements redirected; the same script if that could change what it does. */
export function streamStatements(script: ScriptNode, source: string): ScriptNode {
  if (needsWholeScript.test(source) || isSingleCommand(script)) return script;
  return { ...script, statements: script.statements.map(streamStatement) };
}

/** Its output is complete when the script ends, anyway. */
function isSingleCommand({ statements }: ScriptNode): boolean {
  const [first, ...more] = statements;
  return (
    more.length === 0 &&
    first?.pipelines.length === 1 &&
    first.pipelines[0]?.commands[0]?.type === "SimpleCommand"
  );
}

function streamStatement(statement: StatementNode): StatementNode {
  if (statement.deferredError !== undefined) return statement;
  const [pipeline, ...more] = statement.pipelines;
  const [command, ...piped] = pipeline?.commands ?? [];
  if (pipeline === undefined || command === undefined) return statement;
  if (command.type === "FunctionDef") return statement;
  const isAlone =
    more.length === 0 && piped.length === 0 && !pipeline.negated && !pipeline.timed && !statement.background;
  const inside = isAlone ? streamInside(command) : undefined;
  if (inside === undefined) return redirected(statement);
  return { ...statement, pipelines: [{ ...pipeline, commands: [inside] }] };
}

/** A compound command whose statements stream for themselves; undefined if it must be redirected as a whole. */
function streamInside(command: CommandNode): CommandNode | undefined {
  if (command.redirections.length > 0) return undefined;
  switch (command.type) {
    case "If":
      return {
        ...command,
        clauses: command.clauses.map(({ condition, body }) => ({
          condition: condition.map(redirected),
          body: body.map(streamStatement),
        })),
        elseBody: command.elseBody?.map(streamStatement) ?? null,
      };
    case "While":
    case "Until":
      return {
        ...command,
        condition: command.condition.map(redirected),
        body: command.body.map(streamStatement),
      };
    case "For":
    case "CStyleFor":
    case "Group":
      return { ...command, body: command.body.map(streamStatement) };
    case "Case":
      return {
        ...command,
        items: command.items.map((item) => ({ ...item, body: item.body.map(streamStatement) })),
      };
    default:
      return undefined;
  }
}

function redirected(statement: StatementNode): StatementNode {
  if (statement.deferredError !== undefined) return statement;
  const line = statement.line === undefined ? {} : { line: statement.line };
  return {
    type: "Statement",
    ...line,
    operators: [],
    background: false,
    pipelines: [
      {
        type: "Pipeline",
        negated: false,
        commands: [
          {
            type: "Group",
            ...line,
            body: [statement],
            redirections: [appendTo(1, streamPaths.stdout), appendTo(2, streamPaths.stderr)],
          },
        ],
      },
    ],
  };
}

function appendTo(fd: number, path: string) {
  return {
    type: "Redirection" as const,
    fd,
    operator: ">>" as const,
    target: { type: "Word" as const, parts: [{ type: "Literal" as const, value: path }] },
  };
}
