/** A newer holder has the computer. The caller must stop: its changes are no longer stored. */
export class StaleEpochError extends Error {
  /** The epoch that a computer which dials in has seen. */
  readonly newest: number | undefined;

  constructor(agentId: string, epoch: number, newest?: number) {
    super(`The computer of ${agentId} has a newer holder than epoch ${epoch}.`);
    this.name = "StaleEpochError";
    this.newest = newest;
  }
}

/** The computer cannot be reached, or its kind is not available here. */
export class ComputerUnreachableError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ComputerUnreachableError";
  }
}

/** The computer is connected to another process, which has to continue the run. */
export class ComputerElsewhereError extends Error {
  constructor() {
    super("The computer is connected to another process.");
    this.name = "ComputerElsewhereError";
  }
}

/** A path, a file or a snapshot is not what the operation needs. The message is a sentence for the model or the user. */
export class ComputerFileError extends Error {
  /** The file or directory does not exist. */
  readonly isMissing: boolean;

  constructor(message: string, { isMissing = false } = {}) {
    super(message);
    this.name = "ComputerFileError";
    this.isMissing = isMissing;
  }
}
