import type { DefinitionSource } from "@muster/language";
import { type Agent, findAgent } from "../../api/agents.ts";
import { confirm } from "../../confirm.ts";
import { checkFolder } from "../../definition/check-folder.ts";
import { differencesOf, showDiffs } from "../../definition/differences.ts";
import { hasErrors } from "../../definition/findings.ts";
import { type Located, locate } from "../../definition/place.ts";
import { storeDefinition } from "../../definition/store-definition.ts";
import { FolderWatch } from "../../definition/watch-folder.ts";
import { CliError, exitCodes, usageError } from "../../exit.ts";
import { textLines } from "../../formats/text.ts";
import { examples } from "../../help.ts";
import type { Api } from "../../http/api.ts";
import type { AddCommand, Handler, Invocation } from "../../invocation.ts";
import { showFailure } from "../../show-failure.ts";

export const dev: AddCommand = (group, act) => {
  group
    .command("dev")
    .description("Watch an agent folder, and validate and push it after each change.")
    .argument("[folder]", "Agent folder (default: the working directory)")
    .option("--yes", "Update an existing agent without asking")
    .addHelpText("after", examples("muster agents dev agents/shop-help"))
    .action(act(handle));
};

const handle: Handler = async (invocation) => {
  const { args, io, out } = invocation;
  if (out.json) throw usageError("agents dev does not support --json. Use agents push --json instead.");
  const folder = locate(io, args[0]);
  const session = new DevSession(invocation, invocation.api(), folder);
  const watch = new FolderWatch(folder.folder);
  const leaving = new AbortController();
  const stopListening = io.onInterrupt(() => leaving.abort());
  try {
    await session.update();
    out.note(`Watching ${session.shownFolder} for changes. Press Ctrl-C to stop.`);
    for (;;) {
      await watch.next(leaving.signal);
      if (leaving.signal.aborted) return exitCodes.interrupted;
      await session.update().catch((error: unknown) => showPassing(error, invocation));
    }
  } finally {
    stopListening();
    watch.close();
  }
};

/** Failures that may pass, such as a server that restarts, do not end the watch. */
function showPassing(error: unknown, { out }: Invocation): void {
  if (!(error instanceof CliError) || error.code === "CHANGED_ON_SERVER") throw error;
  showFailure(error, out);
}

/** Keeps an agent on the server up to date with a folder. */
class DevSession {
  readonly shownFolder: string;
  readonly #invocation: Invocation;
  readonly #api: Api;
  readonly #folder: Located;
  /** The definition that this session stored last, or that the user agreed to replace. */
  #agent: Agent | undefined;

  constructor(invocation: Invocation, api: Api, folder: Located) {
    this.#invocation = invocation;
    this.#api = api;
    this.#folder = folder;
    this.shownFolder = invocation.args[0] ?? ".";
  }

  /** Validates the folder, and pushes it if it has no errors and differs. */
  async update(): Promise<void> {
    const { out } = this.#invocation;
    const { definition, findings } = await checkFolder(this.#folder);
    const notable = findings.filter(({ severity }) => severity !== "info");
    for (const line of textLines(notable, this.shownFolder, (kind, text) => out.style(kind, text)))
      out.line(line);
    if (definition === undefined || hasErrors(findings)) return;
    const { slug } = definition.settings;
    // Another slug is another agent.
    if (this.#agent?.definition.settings.slug !== slug) this.#agent = await this.#findAgent(definition);
    const differences = differencesOf(this.#agent?.definition, definition);
    if (this.#agent !== undefined && differences.length === 0) return;
    this.#agent = await storeDefinition(this.#api, this.#agent, definition, this.shownFolder);
    const paths = differences.map(({ path }) => path).join(", ");
    out.line(`Pushed ${slug} version ${this.#agent.version}: ${paths}`);
  }

  /** Asks before an existing agent is changed. */
  async #findAgent(definition: DefinitionSource): Promise<Agent | undefined> {
    const { io, out, options } = this.#invocation;
    const { slug } = definition.settings;
    const agent = await findAgent(this.#api, slug);
    const differences = agent === undefined ? [] : differencesOf(agent.definition, definition);
    if (agent === undefined || differences.length === 0 || options.flag("yes")) return agent;
    showDiffs(out, differences);
    await confirm(io, out, `Update ${slug} on ${this.#api.url} from version ${agent.version}?`, "--yes");
    return agent;
  }
}
