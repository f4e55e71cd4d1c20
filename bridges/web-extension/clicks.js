// Passes on clicks on links that an application of this device may open. Links within a site stay in the browser, which
// the user has chosen for that site. It runs in the pages of sites that take part, as place.js does.

(() => {
  if (globalThis.segueTakesClicks) return;
  globalThis.segueTakesClicks = true;

  let linkHosts = [];

  function isForApplication(url) {
    if (url.protocol !== "https:" || url.port || url.hostname === location.hostname) return false;
    return linkHosts.some((host) =>
      host.startsWith("*.") ? url.hostname.endsWith(host.slice(1)) : url.hostname === host);
  }

  function clicked(event) {
    if (!event.isTrusted || event.defaultPrevented || event.button !== 0) return;
    // With these keys the user chooses where in the browser the link opens.
    if (event.ctrlKey || event.shiftKey || event.altKey || event.metaKey) return;
    const link = event.composedPath().find((one) => one instanceof HTMLAnchorElement);
    if (!link || link.hasAttribute("download")) return;
    const url = URL.parse(link.href);
    if (!url || !chrome.runtime?.id || !isForApplication(url)) return;
    event.preventDefault();
    const goOn = () => {
      if (link.target === "_blank") open(url.href, "_blank", "noopener");
      else location.assign(url.href);
    };
    chrome.runtime.sendMessage({ type: "follow", url: url.href }).then((taken) => taken || goOn(), goOn);
  }

  // Runs after the page's own scripts, which may handle the click themselves.
  addEventListener("click", clicked);
  chrome.runtime.sendMessage({ type: "links" }).then((hosts) => { linkHosts = hosts ?? []; }, () => {});
  chrome.runtime.onMessage.addListener((message, sender) => {
    if (sender.id === chrome.runtime.id && message?.type === "links") linkHosts = message.hosts;
    return false;
  });
})();
