// The program between the browser and Segue, over native messaging: docs/browser-protocol.md.

const NAME = "org.segue.browser";
const FIRST_PAUSE = 1000;
const LONGEST_PAUSE = 60000;
/** Characters of a text in a message. The host refuses the address of a page long before, and names that page no more. */
const LONGEST_TEXT = 4096;

class Host {
  /** Called with each message but `ready`. */
  receive = () => {};
  /** Called when what follows has changed. */
  changed = () => {};
  /** Whether it has answered. */
  isReady = false;
  /** What Segue calls this device; null where Segue is not there. */
  device = null;
  /** Why there is no device, in words. */
  reason = "Asking Segue…";

  #port = null;
  #pause = FIRST_PAUSE;
  #timer = null;
  /** When it was ready first. */
  #since = Infinity;

  /** While the port is open the browser leaves the background alone. */
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

  /** Without a host there is nobody to tell. */
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
    // One that ends soon after its start, each time, is not started as often as that.
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
