// The program between the browser and Segue, over native messaging: docs/browser-protocol.md.

const NAME = "org.segue.browser";
const FIRST_PAUSE = 1000;
const LONGEST_PAUSE = 60000;
/** The characters of a text in a message. The host refuses shorter addresses already, and then withdraws the page. */
const LONGEST_TEXT = 4096;

class Host {
  /** Called with each message but `ready`. */
  receive = () => {};
  /** Called when one of the members below has changed. */
  changed = () => {};
  /** Whether it has answered. */
  isReady = false;
  /** The name of this device; null without Segue. */
  device = null;
  /** The reason why `device` is null, in words. */
  reason = "Asking Segue…";

  #port = null;
  #pause = FIRST_PAUSE;
  #timer = null;
  /** When the host was ready first. */
  #since = Infinity;

  /** While the port is open the browser does not end the background. */
  connect() {
    clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#port) return;
    const port = chrome.runtime.connectNative(NAME);
    this.#port = port;
    port.onMessage.addListener((message) => this.#received(message));
    port.onDisconnect.addListener(() => this.#lost(port));
    this.send({ type: "hello", version: 1, browser: browserName() });
  }

  /** Drops the message if there is no host. */
  send(message) {
    this.#port?.postMessage(Object.fromEntries(Object.entries(message).map(([name, value]) => [name, cut(value)])));
  }

  #received(message) {
    if (message?.type !== "ready") {
      this.receive(message);
      return;
    }
    this.#since = Math.min(this.#since, Date.now());
    this.device = message.device ?? null;
    this.reason = message.reason ?? "";
    this.isReady = true;
    this.changed();
  }

  #lost(port) {
    const cause = port.error?.message ?? chrome.runtime.lastError?.message ?? "";
    if (cause) console.warn(`Segue: ${cause}`);
    this.#port = null;
    this.isReady = false;
    this.device = null;
    this.reason = "Segue cannot be reached. Is it installed on this device?";
    this.changed();
    // A host that ends soon after each start is started less and less often.
    if (Date.now() - this.#since >= LONGEST_PAUSE) this.#pause = FIRST_PAUSE;
    this.#since = Infinity;
    this.#timer = setTimeout(() => this.connect(), this.#pause);
    this.#pause = Math.min(this.#pause * 2, LONGEST_PAUSE);
  }
}

function cut(value) {
  return typeof value === "string" && value.length > LONGEST_TEXT ? value.slice(0, LONGEST_TEXT) : value;
}

function browserName() {
  return chrome.runtime.getURL("").startsWith("moz-extension:") ? "firefox" : "chromium";
}

export const host = new Host();
