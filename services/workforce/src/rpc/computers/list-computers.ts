import { create } from "@bufbuild/protobuf";
import { ListComputersResponseSchema } from "@muster/proto/computers";
import { pageOf, readPage } from "@muster/rpc";
import { managerOf } from "../../input/caller.ts";
import { showMachine } from "../../views/show-machine.ts";
import type { Handler } from "../handler.ts";

export const listComputers: Handler<"listComputers"> = async (context, request, call) => {
  const { projectId } = managerOf(call);
  const { size, before } = readPage(request);
  const found = await context.computers.machines.store.list(projectId, size + 1, before);
  const { items, nextCursor } = pageOf(found, size);
  const computers = await Promise.all(items.map((machine) => showMachine(context, machine)));
  return create(ListComputersResponseSchema, { computers, nextCursor });
};
