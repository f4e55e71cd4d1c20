// The compose windows here. The name of one is that of its only tab.

import { host } from "./host.js";

/** Characters of a draft that the host is told. A longer one would be refused there, too. */
const LONGEST_BODY = 256 * 1024;

/** The name of the draft that the user is in. */
let current = null;
let following = Promise.resolve();

async function tell(tabId) {
  const { subject } = await browser.compose.getComposeDetails(tabId);
  current = tabId;
  host.send({ type: "draft", key: String(tabId), subject: subject.slice(0, 1000) });
}

function leave() {
  if (current !== null) host.send({ type: "left", key: String(current) });
  current = null;
}

/** One after another, so that the last window that was focused is the one that counts. */
function follow(windowId) {
  following = following.then(() => focused(windowId)).catch((error) => console.warn(`Segue: ${error.message}`));
  return following;
}

async function focused(windowId) {
  // The user is in another application, or at another device: the draft stays on offer.
  if (windowId === browser.windows.WINDOW_ID_NONE) return;
  const [tab] = await browser.tabs.query({ windowId, type: "messageCompose" });
  if (current !== tab?.id) leave();
  if (tab) await tell(tab.id);
}

/** The user has typed in the draft. Thunderbird tells of no change of the subject. */
async function moved(tab) {
  const { subject } = await browser.compose.getComposeDetails(tab.id);
  host.send({ type: "moved", key: String(tab.id), subject: subject.slice(0, 1000) });
}

/** The content of the draft, or the problem for which it does not go on. */
async function details(tabId) {
  const { to, cc, bcc, from, subject, body, plainTextBody, isPlainText, selectedEncryptionTechnology } =
    await browser.compose.getComposeDetails(tabId);
  // The other device may not have what encrypts it, and would send it without.
  if (selectedEncryptionTechnology?.encryptBody) return { problem: "A draft that will be encrypted does not go on elsewhere." };
  // Pictures do not go on, and are most of a text that has some.
  const text = isPlainText ? plainTextBody : body.replace(/ src="data:[^"]*"/g, "");
  if (text.length > LONGEST_BODY) return { problem: "The draft is too long to go on elsewhere." };
  return { to, cc, bcc, from, subject, body: text, isPlainText };
}

export const drafts = {
  listen() {
    browser.windows.onFocusChanged.addListener(follow);
    browser.compose.onComposeStateChanged.addListener(moved);
    browser.runtime.onMessage.addListener((message, sender) => sender.tab && moved(sender.tab));
    browser.composeScripts.register({ js: [{ file: "typed.js" }] });
    browser.tabs.onRemoved.addListener((tabId) => {
      if (current === tabId) current = null;
      host.send({ type: "closed", key: String(tabId) });
    });
  },

  /** Tells a new host where the user is. */
  async tellAnew() {
    const { id, focused: isFocused } = await browser.windows.getLastFocused();
    if (isFocused) await follow(id);
  },

  async where({ request, key }) {
    let found;
    try {
      found = await details(Number(key));
    } catch (error) {
      found = { problem: `Thunderbird does not say what stands in the draft: ${error.message}` };
    }
    host.send({ type: "details", request, ...found });
  },

  /** Opens a draft of another device in a window of its own, from the same sender where there is one here. */
  async open({ continuation, to, cc, bcc, from, subject, body, isPlainText }) {
    try {
      const address = from.replace(/^.*<([^<>]*)>$/, "$1").toLowerCase();
      const identity = (await browser.identities.list()).find(({ email }) => address && email.toLowerCase() === address);
      const tab = await browser.compose.beginNew({
        to, cc, bcc, subject, isPlainText,
        ...(isPlainText ? { plainTextBody: body } : { body }),
        ...(identity && { identityId: identity.id }),
      });
      // Thunderbird asks before it closes a window whose text is in no folder.
      await browser.compose.setComposeDetails(tab.id, { isModified: true });
      await browser.windows.update(tab.windowId, { focused: true });
    } catch (error) {
      host.send({ type: "failed", continuation, reason: error.message });
      say(`A draft of another device cannot be opened: ${error.message}`);
    }
  },

  unsaved({ reason }) {
    say(reason);
  },
};

function say(message) {
  browser.notifications.create({ type: "basic", title: "Segue", message, iconUrl: "icons/48.png" });
}
