import { create } from "@bufbuild/protobuf";
import { CreateComputerResponseSchema } from "@muster/proto/computers";
import { Issues } from "@muster/rpc";
import { readOwnComputer } from "../../dispatch/hire/read-hire.ts";
import { managerOf } from "../../input/caller.ts";
import { checkName } from "../../input/texts.ts";
import { unknownComputer } from "../../store/refusals.ts";
import { showMachine } from "../../views/show-machine.ts";
import type { Handler } from "../handler.ts";

export const createComputer: Handler<"createComputer"> = async (context, request, call) => {
  const { projectId } = managerOf(call);
  const issues = new Issues();
  const { name } = request;
  checkName(issues, "name", name);
  const { kind, os } = readOwnComputer(issues, request, "");
  const isSharable = kind === "dedicated" || kind === "mac";
  if (!isSharable) issues.add("kind", "must be dedicated or mac: other computers belong to one agent");
  issues.refuse();
  if (!isSharable) throw unknownComputer();
  const { store } = context.computers.machines;
  const _id = context.newId("cmp");
  const settings = { name, kind, os };
  const change = { projectId, target: _id, after: settings };
  await store.create({
    ...{ _id, projectId, ...settings, createdAt: new Date(context.clock.now()) },
    audit: [context.auditEntry(call, "computer.create", change)],
  });
  const machine = await store.find({ projectId, computerId: _id });
  if (machine === null) throw unknownComputer();
  return create(CreateComputerResponseSchema, { computer: await showMachine(context, machine) });
};
