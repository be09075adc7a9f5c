import { Http, type MusterOptions } from "./http.ts";
import { Sessions } from "./sessions.ts";

/**
 * A Muster server and a credential.
 *
 *     const muster = new Muster({ baseUrl: "http://localhost:8080", apiKey: process.env.MUSTER_API_KEY });
 *     const turn = muster.sessions.start({ agentSlug: "greeter", trigger: { triggerName: "user-message", input } });
 *     console.log(await turn.text());
 */
export class Muster {
  readonly sessions: Sessions;

  constructor(options: MusterOptions) {
    const http = new Http(options);
    this.sessions = new Sessions(http);
  }
}
