// The extension's background: it starts with the browser, and again whenever the browser has ended it. Nothing is kept
// but in memory: where this ends the host ends too, and takes back what was on offer.

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

// A listener that is there as soon as the browser is: the browser starts this for it.
chrome.runtime.onStartup.addListener(() => {});
chrome.runtime.onInstalled.addListener(() => {});
pages.listen();
links.listen();
popups.listen();
host.connect();
