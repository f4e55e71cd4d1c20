// Which sites take part. The browser keeps them: they are the extension's host permissions, of which it has none until
// the user gives it some. So the browser enforces it, and shows it in its own pages too.

export const ALL_SITES = ["http://*/*", "https://*/*"];

/** The URL in its parsed form where it is a page's: http or https, without a name or password; otherwise null. */
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

/** The patterns for what a user wrote, a host or an address; null where it is neither. "*." stands for all below it. */
export function patterns(text) {
  const [, scheme, below, rest] = /^(https?:\/\/)?(\*\.)?(.*)$/is.exec(text.trim());
  // An address of another kind: what a colon follows is a host only where a port comes.
  if (/^[^/]*:(?!\d)/.test(rest)) return null;
  const url = pageURL((scheme ?? "https://") + rest);
  if (!url || !/^([a-z0-9._-]+|\[[0-9a-f:.]+\])$/.test(url.hostname)) return null;
  return ["http", "https"].map((one) => `${one}://${below ?? ""}${url.hostname}/*`);
}

/** The site of a pattern, for reading. */
export function siteName(origin) {
  return origin.replace(/^[^:]*:\/\//, "").replace(/\/\*$/, "");
}

export function isForAll(origin) {
  return origin === "<all_urls>" || siteName(origin) === "*";
}

export async function allowed() {
  return (await chrome.permissions.getAll()).origins ?? [];
}
