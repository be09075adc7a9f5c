import { GrowingBuffer } from "@muster/large-data";
import { errorCodes, type FastifyRequest } from "fastify";
import { HttpProblem } from "../errors/http-problem.ts";

/**
 * The whole body. Counts its bytes as they arrive. Throws FST_ERR_CTP_BODY_TOO_LARGE, INVALID_REQUEST if its client
 * leaves, and UNAVAILABLE.
 */
export function collectBody(request: FastifyRequest): Promise<Buffer> {
  const { raw, arrival, bodyBytes } = request;
  const { bodyLimit } = request.routeOptions;
  // So that it takes no more than was reserved for an announced length.
  const body = new GrowingBuffer(bodyBytes || bodyLimit);
  return new Promise((resolve, reject) => {
    if (bodyBytes > bodyLimit) throw new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE();
    const add = (piece: Buffer) => {
      try {
        if (body.length + piece.length > bodyLimit) throw new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE();
        body.add(piece);
        arrival?.growTo(body.capacity);
      } catch (error) {
        settle(() => reject(error));
      }
    };
    const end = () => {
      request.bodyBytes = body.length;
      settle(() => resolve(body.take()));
    };
    const fail = () => settle(() => reject(new HttpProblem("INVALID_REQUEST", "The body ended early.")));
    // The rest of a refused body is dropped: while it waits to be read, its client does not read the response.
    const settle = (outcome: () => void) => {
      raw.off("data", add).off("end", end).off("error", fail).off("close", fail);
      outcome();
    };
    raw.on("data", add).on("end", end).on("error", fail).on("close", fail);
  });
}
