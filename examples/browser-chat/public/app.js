import { Chat } from "/chat.js";

const list = document.querySelector("#messages");
const form = document.querySelector("#form");
const input = document.querySelector("#message");
const sendButton = document.querySelector("#send");
const newButton = document.querySelector("#new");
const status = document.querySelector("#status");

/** What only the page knows. The agent calls it like any other tool. */
const tools = {
  "local-time": () => ({
    time: new Date().toLocaleString("en-GB", { dateStyle: "full", timeStyle: "short" }),
    zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  }),
};

const chat = new Chat(tools);

/** Shows the parts of a message as they arrive. Everything is set as text, so no answer can contain code. */
class Bubble {
  #parts = new Map();

  constructor(role) {
    this.element = add(list, "div", `message ${role}`);
    add(this.element, "span", "hidden", role === "user" ? "You: " : "Assistant: ");
  }

  text(id, text) {
    const part = this.#part(id, "p", "text");
    part.textContent += text;
    this.#show();
  }

  tool(id, title, state) {
    const part = this.#part(id, "p", "tool");
    part.dataset.state = state;
    part.textContent = `${state === "done" ? "✓" : "…"} ${title}`;
    this.#show();
  }

  fail(message) {
    this.element.classList.add("failed");
    add(this.element, "p", "error", message);
    this.#show();
  }

  /** Readers of screens hear a message once it is complete. */
  set busy(isBusy) {
    this.element.setAttribute("aria-busy", String(isBusy));
  }

  #part(id, tag, className) {
    const known = this.#parts.get(id);
    if (known !== undefined) return known;
    const part = add(this.element, tag, className);
    this.#parts.set(id, part);
    return part;
  }

  #show() {
    list.scrollTop = list.scrollHeight;
  }
}

function add(parent, tag, className, text = "") {
  const element = document.createElement(tag);
  element.className = className;
  element.textContent = text;
  parent.append(element);
  return element;
}

/** Shows the messages of the session, for example after the page was reloaded. */
async function showHistory() {
  list.replaceChildren();
  for (const { role, parts } of await chat.messages()) {
    const bubble = new Bubble(role);
    for (const [index, part] of parts.entries()) {
      if (part.type === "text") bubble.text(index, part.text);
      if (part.type === "tool-call") bubble.tool(index, part.displayName ?? part.toolName, "done");
    }
  }
}

/** A message that has not begun a reply goes back to where the visitor wrote it. */
async function reply(text) {
  let hasBegun = false;
  const bubble = new Bubble("assistant");
  bubble.busy = true;
  const titles = new Map();
  try {
    for await (const event of chat.send(text, () => say("Connecting again …"))) {
      hasBegun = true;
      say("");
      switch (event.type) {
        case "text-delta":
          bubble.text(event.id, event.delta);
          break;
        case "tool-input-start":
          titles.set(event.toolCallId, event.title ?? event.toolName);
          bubble.tool(event.toolCallId, titles.get(event.toolCallId), "running");
          break;
        case "tool-output-available":
        case "tool-output-error":
          bubble.tool(event.toolCallId, titles.get(event.toolCallId) ?? "Done", "done");
          break;
        case "tool-request":
          for (const { toolCallId, toolName } of event.toolCalls)
            bubble.tool(toolCallId, titles.get(toolCallId) ?? toolName, "done");
          break;
        case "error":
          bubble.fail(event.message);
          break;
      }
    }
  } catch (error) {
    bubble.fail(error.message);
    if (!hasBegun) input.value = [text, input.value].filter(Boolean).join("\n");
  }
  bubble.busy = false;
}

function say(text) {
  if (status.textContent !== text) status.textContent = text;
}

/** Nothing else can be sent while `work` runs. */
async function exclusively(work) {
  sendButton.disabled = newButton.disabled = true;
  try {
    await work();
    say("");
  } catch (error) {
    say(error.message);
  }
  sendButton.disabled = newButton.disabled = false;
  input.focus();
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const text = input.value.trim();
  if (text === "" || sendButton.disabled) return;
  void exclusively(async () => {
    // If this fails, the message stays in its field.
    await connect();
    input.value = "";
    new Bubble("user").text(0, text);
    await reply(text);
  });
});

input.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  form.requestSubmit();
});

newButton.addEventListener("click", () =>
  exclusively(async () => {
    await chat.open(true);
    list.replaceChildren();
  }),
);

/** Opens the session, unless that has been done. */
async function connect() {
  if (document.body.dataset.ready) return;
  say("Connecting …");
  await chat.open();
  await showHistory();
  document.body.dataset.ready = "true";
}

void exclusively(connect);
