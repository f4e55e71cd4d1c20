// The page for the sites that take part, which are those that the browser lets the extension see. The extension asks
// the browser for a permission only here, when the user adds a site.

import { ALL_SITES, allowed, isForAll, patterns, siteName } from "./sites.js";

const all = document.getElementById("all");
const form = document.getElementById("add");
const site = document.getElementById("site");
const trouble = document.getElementById("trouble");
const none = document.getElementById("none");
const list = document.getElementById("list");

async function show() {
  const origins = await allowed();
  all.checked = origins.some(isForAll);
  const sites = new Map();
  for (const origin of origins.filter((one) => !isForAll(one))) {
    const name = siteName(origin);
    sites.set(name, [...(sites.get(name) ?? []), origin]);
  }
  list.replaceChildren(...[...sites].sort().map(([name, its]) => makeItem(name, its)));
  none.hidden = all.checked || sites.size > 0;
}

function makeItem(name, origins) {
  const item = document.createElement("li");
  const text = document.createElement("span");
  text.textContent = name;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "link";
  button.textContent = "Remove";
  button.setAttribute("aria-label", `Remove ${name}`);
  button.addEventListener("click", () => change(() => chrome.permissions.remove({ origins })));
  item.append(text, button);
  return item;
}

async function change(how) {
  say("");
  try {
    if (!(await how())) say("The browser did not change it.");
  } catch (error) {
    say(error.message);
  }
  await show();
}

function say(text) {
  trouble.textContent = text;
  trouble.hidden = text === "";
}

all.addEventListener("change", () => {
  const isWanted = all.checked;
  change(async () => {
    if (isWanted) return chrome.permissions.request({ origins: ALL_SITES });
    return chrome.permissions.remove({ origins: (await allowed()).filter(isForAll) });
  });
});

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const origins = patterns(site.value);
  if (!origins) {
    say("This is neither a site nor an address.");
    return;
  }
  change(async () => {
    const isAllowed = await chrome.permissions.request({ origins });
    if (isAllowed) site.value = "";
    return isAllowed;
  });
});

chrome.permissions.onAdded.addListener(show);
chrome.permissions.onRemoved.addListener(show);
show();
