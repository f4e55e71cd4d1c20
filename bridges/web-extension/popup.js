// Shows the offers of other devices, each a button that continues it here, and the devices to which this page can be
// sent. All text is set as text, never as HTML.

const state = document.getElementById("state");
const trouble = document.getElementById("trouble");
const list = document.getElementById("offers");
const sending = document.getElementById("sending");
const receiverList = document.getElementById("receivers");
const device = document.getElementById("device");

const NOTHING = "Nothing is on offer. What you do on your other devices appears here.";

let port = null;

function connect() {
  port = chrome.runtime.connect({ name: "popup" });
  port.onMessage.addListener((message) => {
    if (message.type === "state") show(message);
    else if (message.type === "sent") sent(message);
    else continued(message);
  });
  // The browser has ended the background; connecting starts it again.
  port.onDisconnect.addListener(connect);
}

function show({ device: name, reason, offers, receivers }) {
  device.textContent = name ? `This device: ${name}` : "";
  if (!name) offers = [];
  if (!name) state.textContent = reason || "Asking Segue…";
  else if (!offers) state.textContent = "Asking Segue…";
  else if (offers.length === 0) state.textContent = NOTHING;
  else state.textContent = "";
  state.hidden = state.textContent === "";
  showOffers(offers ?? []);
  showReceivers((name && receivers) || []);
}

// An item stays as long as its offer does, so that it keeps the focus.
function showOffers(offers) {
  const before = new Map([...list.children].map((item) => [item.dataset.offer, item]));
  const focused = document.activeElement;
  const items = offers.map((offer) => {
    const id = JSON.stringify([offer.device, offer.activity]);
    const item = before.get(id) ?? makeItem(offer, id);
    fill(item, offer);
    return item;
  });
  for (const item of before.values()) if (!items.includes(item)) item.remove();
  items.forEach((item, index) => {
    if (list.children[index] !== item) list.insertBefore(item, list.children[index] ?? null);
  });
  if (list.contains(focused)) focused.focus();
  else if ([document.body, null].includes(document.activeElement)) items[0]?.firstElementChild.focus();
}

function makeItem(offer, id) {
  const item = document.createElement("li");
  item.dataset.offer = id;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "offer";
  for (const name of ["title", "quiet"]) {
    const line = document.createElement("span");
    line.className = name;
    line.dir = "auto";
    button.append(line);
  }
  button.addEventListener("click", () => {
    trouble.hidden = true;
    button.disabled = true;
    port.postMessage({ device: offer.device, activity: offer.activity });
  });
  item.append(button);
  return item;
}

function fill(item, offer) {
  const [title, source] = item.firstElementChild.children;
  title.textContent = offer.title || offer.application;
  const what = offer.inBrowser && offer.host ? offer.host : [offer.application, offer.host].filter(Boolean).join(", ");
  source.textContent = `${what} on ${offer.deviceName}`;
  item.firstElementChild.title = `${title.textContent}\n${source.textContent}`;
}

// An item stays as long as its device does.
function showReceivers(receivers) {
  const before = new Map([...receiverList.children].map((item) => [item.dataset.device, item]));
  for (const item of before.values()) if (!receivers.some(({ device: id }) => id === item.dataset.device)) item.remove();
  for (const { device: id, name } of receivers) {
    const item = before.get(id) ?? makeReceiver(id);
    item.firstElementChild.firstElementChild.textContent = name;
    if (item.parentElement === null) receiverList.append(item);
  }
  sending.hidden = receivers.length === 0;
}

function makeReceiver(id) {
  const item = document.createElement("li");
  item.dataset.device = id;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "offer";
  const line = document.createElement("span");
  line.dir = "auto";
  button.append(line);
  button.addEventListener("click", () => {
    trouble.hidden = true;
    button.disabled = true;
    port.postMessage({ device: id });
  });
  item.append(button);
  return item;
}

function sent({ device: id, reason }) {
  if (!reason) {
    window.close();
    return;
  }
  for (const item of receiverList.children) if (item.dataset.device === id) item.firstElementChild.disabled = false;
  trouble.textContent = reason;
  trouble.hidden = false;
}

function continued({ device: from, activity, reason }) {
  if (!reason) {
    window.close();
    return;
  }
  const id = JSON.stringify([from, activity]);
  for (const item of list.children) {
    if (item.dataset.offer !== id) continue;
    item.firstElementChild.disabled = false;
    item.firstElementChild.focus();
  }
  trouble.textContent = reason;
  trouble.hidden = false;
}

const STEPS = { ArrowDown: 1, ArrowUp: -1 };

list.addEventListener("keydown", (event) => {
  if (!Object.hasOwn(STEPS, event.key)) return;
  const buttons = [...list.querySelectorAll("button")];
  const index = buttons.indexOf(document.activeElement) + STEPS[event.key];
  buttons.at(index % buttons.length).focus();
  event.preventDefault();
});

document.getElementById("sites").addEventListener("click", async () => {
  await chrome.runtime.openOptionsPage();
  window.close();
});

connect();
