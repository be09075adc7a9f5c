import type { Machine } from "@muster/engine";
import type { LogStore } from "../../store/log-store.ts";
import { ExecutionLog, type LogDependencies } from "./execution-log.ts";
import { createLogWriter, type LogWriterOptions } from "./log-writer.ts";
import { LoggedMachine } from "./logged-machine.ts";

export interface Logged {
  machine: Machine;
  /** Absent if logs are off. */
  executionLog?: ExecutionLog;
}

export interface ExecutionLogs {
  store: LogStore;
  /** The machine whose work is recorded; before its first input. */
  begin(machine: Machine): Logged;
  /** Before a read: returns when everything that this instance has recorded so far can be read. */
  flush(): Promise<void>;
  /** Resolves when everything is written or lost. */
  close(): Promise<void>;
}

export type ExecutionLogsOptions = LogWriterOptions &
  Omit<LogDependencies, "writer"> & { store: LogStore; isOn: boolean };

export function createExecutionLogs(options: ExecutionLogsOptions): ExecutionLogs {
  const { store, isOn, clock, catalog, expiryFrom } = options;
  const writer = createLogWriter(options);
  const dependencies = { clock, catalog, expiryFrom, writer };
  return {
    store,
    begin: (machine) => {
      if (!isOn) return { machine };
      const executionLog = new ExecutionLog(dependencies);
      return { machine: new LoggedMachine(machine, executionLog), executionLog };
    },
    flush: () => writer.flush(),
    close: () => writer.close(),
  };
}
