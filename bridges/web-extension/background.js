// The extension's background: it starts with the browser, and again whenever the browser has ended it. It keeps its
// state in memory only: when it ends, the host ends too, and withdraws all offers.

import { open } from "./arrivals.js";
import { host } from "./host.js";
import { links } from "./links.js";
import { pages } from "./pages.js";
import { popups } from "./popups.js";

const handlers = {
  where: ({ request, key }) => pages.where(request, key),
  open: (message) => open(message),
  offers: ({ offers }) => popups.showOffers(offers),
  links: ({ hosts }) => links.show(hosts),
  followed: ({ request, taken }) => links.answered(request, taken),
  continued: (message) => popups.showContinued(message),
  receivers: ({ receivers }) => popups.showReceivers(receivers),
  sent: (message) => popups.showSent(message),
  // The page stays as it is: the user is at the other device.
  taken: () => {},
  error: ({ of, reason }) => console.warn(`Segue: ${of}: ${reason}`),
};

host.receive = (message) => {
  if (Object.hasOwn(handlers, message.type)) handlers[message.type](message);
};
host.changed = () => {
  if (host.isReady) pages.tellAnew();
  else links.lost();
  popups.showState();
};

// This listener is registered as soon as the browser starts, which starts the background for it.
chrome.runtime.onStartup.addListener(() => {});
chrome.runtime.onInstalled.addListener(() => {});
pages.listen();
links.listen();
popups.listen();
host.connect();
