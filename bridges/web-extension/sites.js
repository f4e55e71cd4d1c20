// The sites that take part. The browser keeps them: they are the extension's host permissions, of which it has none
// until the user grants some. So the browser enforces the choice, and shows it in its own pages too.

export const ALL_SITES = ["http://*/*", "https://*/*"];

/** The parsed URL, if it is a page's: http or https, without a name or password; otherwise null. */
export function pageURL(text) {
  const url = URL.parse(text);
  if (!url || !["http:", "https:"].includes(url.protocol) || url.username || url.password) return null;
  return url;
}

export async function mayTell(text) {
  const url = pageURL(text);
  // A pattern has no port: a site takes part with all of them.
  return url !== null && chrome.permissions.contains({ origins: [`${url.protocol}//${url.hostname}/*`] });
}

/** The patterns for a host or an address that a user wrote; null if it is neither. "*." stands for all hosts below. */
export function patterns(text) {
  const [, scheme, below, rest] = /^(https?:\/\/)?(\*\.)?(.*)$/is.exec(text.trim());
  // This is an address of another scheme: text before a colon is a host only if a port follows.
  if (/^[^/]*:(?!\d)/.test(rest)) return null;
  const url = pageURL((scheme ?? "https://") + rest);
  if (!url || !/^([a-z0-9._-]+|\[[0-9a-f:.]+\])$/.test(url.hostname)) return null;
  return ["http", "https"].map((one) => `${one}://${below ?? ""}${url.hostname}/*`);
}

/** The site of a pattern, as people read it. */
export function siteName(origin) {
  return origin.replace(/^[^:]*:\/\//, "").replace(/\/\*$/, "");
}

export function isForAll(origin) {
  return origin === "<all_urls>" || siteName(origin) === "*";
}

export async function allowed() {
  return (await chrome.permissions.getAll()).origins ?? [];
}
