import { Db } from "mongodb";
import { moveTo } from "../../src/move/move-to.ts";

/* Moves the store in a directory, and is killed when it has sent so many commands to the target. */

const [, , directory = "", uri = "", commands = ""] = process.argv;
let left = Number(commands);
const { command } = Db.prototype;
Db.prototype.command = function (...args) {
  const reply = command.apply(this, args);
  // Even numbers of commands: before the last one has left, odd ones: as soon as it has been executed.
  if (--left === 0 && Number(commands) % 2 === 0) process.kill(process.pid, "SIGKILL");
  if (left === 0) void reply.finally(() => process.kill(process.pid, "SIGKILL"));
  return reply;
};
await moveTo(directory, uri);
