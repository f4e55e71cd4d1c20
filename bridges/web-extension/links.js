// Links that an application of this device opens, as the domain that they lead to says: the host knows of which domains
// there are such applications, and which link goes to one. Pages are asked of those sites alone that take part.

import { host } from "./host.js";

/** The host answers within a second. Who has clicked sees the page then in any case. */
const ANSWER_TIME = 1500;

class Links {
  /** Names, or "*." and a name for all below it. */
  #hosts = [];
  #lastRequest = 0;
  #waiting = new Map();

  listen() {
    chrome.runtime.onMessage.addListener((message, sender, answer) => {
      if (sender.id !== chrome.runtime.id || !sender.tab || sender.tab.incognito) return false;
      if (message?.type === "links") answer(this.#hosts);
      if (message?.type !== "follow") return false;
      this.#follow(message.url).then(answer);
      return true;
    });
  }

  /** The pages that have asked before are told. */
  async show(hosts) {
    this.#hosts = hosts;
    const tabs = await chrome.tabs.query({ windowType: "normal" });
    for (const tab of tabs.filter((one) => !one.incognito)) {
      chrome.tabs.sendMessage(tab.id, { type: "links", hosts }).catch(() => {});
    }
  }

  lost() {
    for (const request of [...this.#waiting.keys()]) this.answered(request, false);
    if (this.#hosts.length > 0) this.show([]);
  }

  /** Gives whether an application opens the link. */
  #follow(url) {
    if (!host.isReady) return Promise.resolve(false);
    this.#lastRequest += 1;
    const request = this.#lastRequest;
    const { promise, resolve } = Promise.withResolvers();
    this.#waiting.set(request, { resolve, bound: setTimeout(() => this.answered(request, false), ANSWER_TIME) });
    host.send({ type: "follow", request, url });
    return promise;
  }

  answered(request, taken) {
    const waiting = this.#waiting.get(request);
    if (!waiting) return;
    this.#waiting.delete(request);
    clearTimeout(waiting.bound);
    waiting.resolve(taken);
  }
}

export const links = new Links();
