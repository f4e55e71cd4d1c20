// Opens a page of another device in a new tab, and scrolls it to the place where it was there.

import { host } from "./host.js";
import { pages, prepare } from "./pages.js";
import { mayTell, pageURL } from "./sites.js";

/** In milliseconds. The host waits for 30 seconds, and then has the default browser open the page. */
const LOADING_TIME = 20000;

export async function open({ continuation, url, place }) {
  const checked = pageURL(url);
  if (!checked) {
    host.send({ type: "failed", continuation, reason: "This is not the address of a web page." });
    return;
  }
  const arrival = new Arrival(place);
  try {
    const tab = await newTab(checked.href);
    pages.expect(tab.id, continuation);
    await arrival.end(tab.id);
    await pages.look();
    host.send({ type: "opened", continuation });
  } catch (error) {
    host.send({ type: "failed", continuation, reason: `The browser did not open it: ${error.message}` });
  } finally {
    arrival.forget();
  }
}

async function newTab(url) {
  const windows = await chrome.windows.getAll({ windowTypes: ["normal"] });
  const usual = windows.filter((one) => !one.incognito);
  const window = usual.find((one) => one.focused) ?? usual.at(-1);
  if (!window) return (await chrome.windows.create({ url, focused: true })).tabs[0];
  const tab = await chrome.tabs.create({ url, active: true, windowId: window.id });
  await chrome.windows.update(window.id, { focused: true });
  return tab;
}

/** The opening of one tab, up to its place. It listens before the tab is made, and so misses no event of it. */
class Arrival {
  #place;
  #tabId = null;
  /** The tabs that have loaded a page. The status "complete" does not say so: in Firefox an empty tab has it too. */
  #loaded = new Set();
  /** From then on the user scrolls: scrolling to the place once more would undo that. */
  #isThere = false;
  #isChecking = false;
  #isChanged = false;
  #bound = null;
  #finish = Promise.withResolvers();

  constructor(place) {
    this.#place = place;
    chrome.tabs.onUpdated.addListener(this.#updated);
    chrome.tabs.onRemoved.addListener(this.#removed);
  }

  forget() {
    chrome.tabs.onUpdated.removeListener(this.#updated);
    chrome.tabs.onRemoved.removeListener(this.#removed);
    clearTimeout(this.#bound);
  }

  /** Ends when the page is at its place, or after LOADING_TIME: if a page does not come, the browser itself says why.
   *  Throws if the tab was closed. */
  end(tabId) {
    this.#tabId = tabId;
    this.#bound = setTimeout(this.#finish.resolve, LOADING_TIME);
    this.#check();
    return this.#finish.promise;
  }

  #updated = (id, { status }) => {
    if (status === "loading") this.#loaded.delete(id);
    if (status === "complete") this.#loaded.add(id);
    if (id === this.#tabId) this.#check();
  };

  #removed = (id) => {
    if (id === this.#tabId) this.#finish.reject(new Error("the tab was closed"));
  };

  async #check() {
    this.#isChanged = true;
    if (this.#isChecking) return;
    this.#isChecking = true;
    while (this.#isChanged && !this.#isThere) {
      this.#isChanged = false;
      // The event comes when the document is there; parts that load later move the place, and the script follows it.
      this.#isThere = await this.#restore();
      if (this.#isThere || this.#loaded.has(this.#tabId)) this.#finish.resolve();
    }
    this.#isChecking = false;
  }

  async #restore() {
    if (!this.#place) return false;
    const tab = await chrome.tabs.get(this.#tabId).catch(() => null);
    if (!tab?.url || !(await mayTell(tab.url)) || !(await prepare(tab.id))) return false;
    const message = { type: "go", place: this.#place };
    return chrome.tabs.sendMessage(tab.id, message, { frameId: 0 }).then(Boolean, () => false);
  }
}
