// The program between Thunderbird and Segue, over native messaging: docs/mail.md.

const NAME = "org.segue.thunderbird";
const FIRST_PAUSE = 1000;
const LONGEST_PAUSE = 60000;

class Host {
  /** Called with each message but `ready`. */
  receive = () => {};
  /** Called when the host has answered. */
  ready = () => {};

  #port = null;
  #pause = FIRST_PAUSE;
  #since = Infinity;

  connect() {
    const port = browser.runtime.connectNative(NAME);
    this.#port = port;
    port.onMessage.addListener((message) => this.#received(message));
    port.onDisconnect.addListener(() => this.#lost(port));
    this.send({ type: "hello", version: 1 });
  }

  /** Drops the message if there is no host. */
  send(message) {
    this.#port?.postMessage(message);
  }

  #received(message) {
    if (message?.type !== "ready") {
      this.receive(message);
      return;
    }
    this.#since = Math.min(this.#since, Date.now());
    if (message.reason) console.warn(`Segue: ${message.reason}`);
    else this.ready();
  }

  #lost(port) {
    if (port.error) console.warn(`Segue: ${port.error.message}`);
    this.#port = null;
    // A host that ends soon after each start is started less and less often.
    if (Date.now() - this.#since >= LONGEST_PAUSE) this.#pause = FIRST_PAUSE;
    this.#since = Infinity;
    setTimeout(() => this.connect(), this.#pause);
    this.#pause = Math.min(this.#pause * 2, LONGEST_PAUSE);
  }
}

export const host = new Host();
