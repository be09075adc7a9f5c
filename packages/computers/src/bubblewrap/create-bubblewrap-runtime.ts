import { copyFile, link, writeFile } from "node:fs/promises";
import { arch } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { shipped } from "@muster/service/shipped";
import type { BubblewrapConfig } from "../config.ts";
import { homeDirectory } from "../files/limits.ts";
import { type NetworkProxyOptions, openNetworkProxy } from "../network/open-network-proxy.ts";
import { assertFitsArgument, timeoutExitCode } from "../sandbox/command-tool.ts";
import type { SandboxLimits } from "../sandbox/default-sandbox-limits.ts";
import { JobKilledError } from "../sandbox/job-killed-error.ts";
import type { CommandJob, JobResult, SandboxRuntime } from "../sandbox/runtime.ts";
import { openBlobStore } from "../store/blob-store.ts";
import { BubblewrapError, checkMachine, probeProblem } from "./check-machine.ts";
import { NoControlGroupsError, openControlGroups, ownControlGroup } from "./control-groups.ts";
import { diskWatch } from "./disk-watch.ts";
import { createHomes, type Home, isAbandoned } from "./homes.ts";
import { type BoxEnd, runBox } from "./run-box.ts";
import { filters } from "./seccomp/filters.ts";
import { releaseOf, writeEtc } from "./system-files.ts";

export interface BubblewrapRuntimeOptions {
  config: BubblewrapConfig;
  limits: SandboxLimits;
  /** Absent: no network. */
  network: NetworkProxyOptions | undefined;
  now(): number;
}

const maxProcesses = 128;
/** For the service itself, if its user also runs the commands. */
const ownProcesses = 256;

/** Real programs, each command in a box of bubblewrap. */
export function createBubblewrapRuntime(options: BubblewrapRuntimeOptions): SandboxRuntime {
  const { config, limits, network, now } = options;
  const homes = createHomes(config.homesDirectory, config.uids);
  const etc = join(homes.folder, "etc");
  const seccompFile = join(homes.folder, "filter");
  const helpers = { node: join(homes.folder, "node"), forwarder: join(homes.folder, "forwarder.mjs") };
  const closing = new AbortController();
  const running = new Set<Promise<unknown>>();
  let opened: ReturnType<typeof open> | undefined;

  async function open() {
    const programs = checkMachine(config);
    await homes.open().catch((error: Error) => {
      const place = `cannot write to ${config.homesDirectory}: set SANDBOX_HOMES_DIRECTORY to a folder on a local disk.`;
      throw new BubblewrapError(`${place} (${error.message})`);
    });
    await writeEtc(etc);
    await writeFile(
      seccompFile,
      Buffer.from(arch() === "arm64" ? filters.aarch64 : filters.x86_64, "base64"),
    );
    if (network !== undefined) {
      // Where the user of a sandbox can read them.
      await link(process.execPath, helpers.node).catch(() => copyFile(process.execPath, helpers.node));
      await copyFile(fileURLToPath(shipped("./forwarder.mjs", import.meta.url)), helpers.forwarder);
    }
    const groups = await ownControlGroup()
      .then((own) => openControlGroups(own, homes.name, isAbandoned))
      .catch((error: unknown) => {
        if (error instanceof NoControlGroupsError) return error;
        throw error;
      });
    return { programs, groups };
  }
  const ready = () => {
    opened ??= open();
    return opened;
  };

  type BoxJob = Pick<CommandJob, "command" | "cwd" | "timeoutMs" | "output" | "signal">;
  const runIn = async (home: Home, job: BoxJob): Promise<BoxEnd> => {
    const { folder, uid, pipes, proxyFolder } = home;
    const { programs, groups } = await ready();
    const { maxMemoryBytes } = limits;
    const proxy = network && (await openNetworkProxy(proxyFolder, network));
    const group = "make" in groups ? await groups.make({ maxMemoryBytes, maxProcesses }) : undefined;
    try {
      return await runBox({
        ...{ programs, root: config.root, home: folder, etc, pipes, seccompFile, uid, group },
        ...(proxy && { network: { proxyFolder, ...helpers } }),
        ...{ command: job.command, cwd: job.cwd, output: job.output },
        limits: {
          maxMemoryBytes,
          maxProcesses: uid === undefined ? maxProcesses * limits.maxCommands + ownProcesses : maxProcesses,
          maxFileBytes: limits.maxBytes,
          maxPrintedBytes: limits.maxPrintedBytes,
          timeoutMs: job.timeoutMs,
        },
        fillsDisk: await diskWatch(folder, limits),
        signal: AbortSignal.any([job.signal, closing.signal]),
      });
    } finally {
      await group?.remove();
      await proxy?.close();
    }
  };

  const runJob = async (home: Home, job: CommandJob): Promise<JobResult> => {
    const { manifest, blobs, epoch, signal, timeoutMs } = job;
    await home.copy.bring(manifest, blobs, limits);
    signal.throwIfAborted();
    home.copy.release();
    const end = await runIn(home, job);
    if ("problem" in end) throw new JobKilledError("crashed", `bubblewrap: ${end.problem}`);
    if ("killedFor" in end && end.killedFor !== "timeout") {
      signal.throwIfAborted();
      throw new JobKilledError(end.killedFor, "the command was killed");
    }
    const after = await home.copy.collect(manifest, { blobs, epoch, limits, now, signal });
    const changed = Buffer.compare(after, manifest) === 0 ? {} : { manifest: after };
    if ("exitCode" in end) return { exitCode: end.exitCode, ...changed };
    const note = `The command was stopped after ${timeoutMs / 1_000} s. Its changes to files until then were kept.`;
    return { exitCode: timeoutExitCode, note, ...changed };
  };

  const imageVersion = releaseOf(config.root);
  return {
    imageVersion,
    description:
      "It runs in a Linux sandbox with the programs of its system, such as python3, git or perl if they are installed; you are not " +
      "root, and nothing can be installed outside of your home directory. Only files below /home/agent are kept, and no process " +
      `outlives its command. ${network === undefined ? "There is no network." : "Programs that use the proxy in https_proxy reach allowed https hosts."}`,
    hasNetwork: network !== undefined,
    filesBelow: `${homeDirectory}/`,
    async check() {
      const { groups } = await ready();
      const [id, blobs] = ["probe", openBlobStore(join(homes.folder, "none"))];
      let printed = "";
      const output = (_: string, text: string) => {
        printed += text;
      };
      const signal = new AbortController().signal;
      const job = {
        command: 'cd && : > probe && rm probe && echo "$HOME"',
        cwd: homeDirectory,
        timeoutMs: 30_000,
        output,
        signal,
      };
      const end = await homes.use(id, async (home) => {
        await home.copy.bring(new Uint8Array(0), blobs, limits);
        home.copy.release();
        return await runIn(home, job);
      });
      await homes.drop(id);
      if (!("exitCode" in end) || end.exitCode !== 0 || printed !== `${homeDirectory}\n`)
        throw probeProblem(end, printed, config);
      const { uids } = config;
      const users = uids
        ? `commands run as the users ${uids.first} to ${uids.last}, each agent as a different one`
        : "commands run as the user of the service, so agents share its limit of processes";
      const limited = "make" in groups ? "control groups" : `process (${groups.message})`;
      return `bubblewrap with the programs of ${imageVersion}; ${users}; limits are by ${limited}`;
    },
    prepare() {},
    async run(job) {
      assertFitsArgument(job.command);
      const task = ready().then(() => homes.use(job.agentId, (home) => runJob(home, job)));
      running.add(task);
      return await task.finally(() => running.delete(task));
    },
    forget: (agentId) => homes.drop(agentId),
    async close() {
      closing.abort(new Error("the computers have been closed"));
      await Promise.allSettled(running);
      if (opened === undefined) return;
      const { groups } = await opened.catch(() => ({ groups: undefined }));
      if (groups && "make" in groups) await groups.close();
      await homes.close();
    },
  };
}
