// Supplies the toolbar's popups, of which each browser window may have one, with their content.

import { host } from "./host.js";
import { pages } from "./pages.js";

class Popups {
  #ports = new Set();
  #offers = null;
  #receivers = [];

  listen() {
    chrome.runtime.onConnect.addListener((port) => {
      if (port.name !== "popup" || port.sender?.id !== chrome.runtime.id) return;
      this.#ports.add(port);
      port.onDisconnect.addListener(() => this.#closed(port));
      port.onMessage.addListener((message) => this.#asked(message));
      // An opened popup starts the host at once, without waiting for the next try.
      host.connect();
      if (this.#ports.size === 1 && host.isReady) host.send({ type: "list" });
      this.#show(port);
    });
  }

  /** A device without an activity: the page that is on offer is sent there. */
  #asked({ device, activity }) {
    if (activity) host.send({ type: "continue", device, activity });
    else if (pages.current !== null) host.send({ type: "send", key: pages.current, device });
  }

  #closed(port) {
    this.#ports.delete(port);
    if (this.#ports.size > 0) return;
    this.#offers = null;
    this.#receivers = [];
    if (host.isReady) host.send({ type: "unlist" });
  }

  /** The host has come or gone, or its answer has changed. */
  showState() {
    this.#offers = null;
    this.#receivers = [];
    if (host.isReady && this.#ports.size > 0) host.send({ type: "list" });
    this.#ports.forEach((port) => this.#show(port));
  }

  showOffers(offers) {
    this.#offers = offers;
    this.#ports.forEach((port) => this.#show(port));
  }

  showContinued({ device, activity, reason }) {
    this.#ports.forEach((port) => port.postMessage({ type: "continued", device, activity, reason }));
  }

  showReceivers(receivers) {
    this.#receivers = receivers;
    this.#ports.forEach((port) => this.#show(port));
  }

  showSent({ device, reason }) {
    this.#ports.forEach((port) => port.postMessage({ type: "sent", device, reason }));
  }

  #show(port) {
    // A page that is not on offer cannot be sent.
    const receivers = pages.current === null ? [] : this.#receivers;
    port.postMessage({ type: "state", device: host.device, reason: host.reason, offers: this.#offers, receivers });
  }
}

export const popups = new Popups();
