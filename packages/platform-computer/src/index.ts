export { connectComputer } from "./connect-computer.ts";
export { ConnectError } from "./connect-error.ts";
export { type ConnectArguments, type ConnectOptions, readConnectOptions } from "./read-connect-options.ts";
export { connectInTerminal, runMusterComputer } from "./run-muster-computer.ts";
