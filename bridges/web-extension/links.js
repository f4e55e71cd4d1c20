// Links that an application of this device opens, if the domain of the link says so: the host knows for which domains
// there are such applications, and which link goes to one. Only pages of sites that take part report clicks.

import { host } from "./host.js";

/** In milliseconds. The host answers within a second; after this time the browser opens the link in any case. */
const ANSWER_TIME = 1500;

class Links {
  /** Names of hosts, or "*." and a name for all hosts below it. */
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

  /** Notifies the pages that have asked before. */
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

  /** Answers whether an application opens the link. */
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
