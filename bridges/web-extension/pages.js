// Reports the browser's tabs to the host: the page of the active tab of the focused window, if its site takes part.

import { host } from "./host.js";
import { mayTell } from "./sites.js";

/** In milliseconds. The host waits for a second. */
const PLACE_TIME = 800;

class Pages {
  /** The tabs that the host knows, with the {url, title} that it was sent for each. */
  #told = new Map();
  /** The key of the current tab. */
  #current = null;
  /** The place that each tab reported last, for a tab that does not answer in time. */
  #places = new Map();
  /** The continuation for whose page each tab was opened. */
  #arrivals = new Map();
  #looking = null;
  #isChanged = false;

  listen() {
    const look = () => this.look();
    chrome.tabs.onActivated.addListener(look);
    chrome.tabs.onRemoved.addListener(look);
    chrome.tabs.onReplaced.addListener(look);
    chrome.tabs.onAttached.addListener(look);
    chrome.windows.onFocusChanged.addListener(look);
    chrome.permissions.onAdded.addListener(look);
    chrome.permissions.onRemoved.addListener(look);
    chrome.tabs.onUpdated.addListener((id, change) => {
      if (change.status || change.url || change.title) this.look();
    });
    chrome.runtime.onMessage.addListener((message, sender) => {
      if (sender.id !== chrome.runtime.id || !sender.tab) return;
      if (message?.type === "moved") this.#moved(String(sender.tab.id), sender.tab.url, message.place);
    });
  }

  /** The host or Segue was restarted: it does not know what the former one was sent. */
  tellAnew() {
    this.#told.clear();
    this.#places.clear();
    this.#current = null;
    this.look();
  }

  /** The key of the tab whose page is on offer; null where none is. */
  get current() {
    return this.#current;
  }

  /** The next page of this tab is the one that came from another device. */
  expect(tabId, continuation) {
    this.#arrivals.set(String(tabId), continuation);
  }

  /** Reports changes, until there are no more. Only one call runs at a time, and sees changes that come meanwhile. */
  look() {
    this.#isChanged = true;
    this.#looking ??= this.#lookOn();
    return this.#looking;
  }

  async #lookOn() {
    try {
      while (this.#isChanged) {
        this.#isChanged = false;
        await this.#endOthers();
        this.#tell(await currentPage());
      }
    } finally {
      this.#looking = null;
    }
  }

  /** Withdraws the tabs that are gone, or have a page that may not be reported. */
  async #endOthers() {
    for (const key of [...this.#told.keys()]) {
      if (await tellable(await tabOf(key))) continue;
      this.#told.delete(key);
      this.#arrivals.delete(key);
      this.#places.delete(key);
      if (this.#current === key) this.#current = null;
      host.send({ type: "closed", key });
    }
  }

  #tell(page) {
    if (!host.isReady) return;
    const key = page?.key ?? null;
    if (this.#current !== null && this.#current !== key) host.send({ type: "left", key: this.#current });
    const isOther = this.#current !== key;
    this.#current = key;
    if (!page) return;
    prepare(page.tabId);
    const told = this.#told.get(key);
    if (!isOther && told && told.url === page.url && told.title === page.title) return;
    this.#told.set(key, { url: page.url, title: page.title });
    const message = { type: "page", key, url: page.url, title: page.title };
    if (this.#arrivals.has(key)) message.continuation = this.#arrivals.get(key);
    this.#arrivals.delete(key);
    host.send(message);
  }

  #moved(key, url, place) {
    if (key !== this.#current) return;
    this.#places.set(key, { url, place });
    host.send({ type: "moved", key });
  }

  async where(request, key) {
    const answer = { type: "place", request };
    const tab = this.#told.has(key) ? await tabOf(key) : null;
    if (await tellable(tab)) {
      const said = this.#places.get(key);
      const before = said?.url === tab.url ? said.place : null;
      const place = (await Promise.race([placeIn(tab.id), later(PLACE_TIME)])) ?? before;
      if (place) answer.place = place;
    }
    host.send(answer);
  }
}

async function tabOf(key) {
  return chrome.tabs.get(Number(key)).catch(() => null);
}

async function tellable(tab) {
  // The browser hides private windows from the extension; this check is for a browser that does not.
  return Boolean(tab && !tab.incognito && tab.url && (await mayTell(tab.url)));
}

async function currentPage() {
  const window = await chrome.windows.getLastFocused({ populate: true }).catch(() => null);
  if (!window?.focused || window.incognito) return null;
  const tab = window.tabs?.find((one) => one.active);
  if (!(await tellable(tab))) return null;
  return { key: String(tab.id), tabId: tab.id, url: tab.url, title: tab.title ?? "" };
}

/** Puts the scripts into the page that report its place and clicks on links; a second time they do nothing. */
export async function prepare(tabId) {
  const files = ["place.js", "clicks.js"];
  return chrome.scripting.executeScript({ target: { tabId }, files }).then(() => true, () => false);
}

async function placeIn(tabId) {
  if (!(await prepare(tabId))) return null;
  return chrome.tabs.sendMessage(tabId, { type: "where" }, { frameId: 0 }).catch(() => null);
}

function later(milliseconds) {
  return new Promise((resolve) => setTimeout(() => resolve(null), milliseconds));
}

export const pages = new Pages();
