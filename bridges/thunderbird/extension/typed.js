// Runs in the text of each compose window: tells the extension that the user has come to it, and that something is typed
// there, once a second at most.

let last = 0;

function tell() {
  browser.runtime.sendMessage({ type: "moved" });
}

addEventListener("focus", tell);
addEventListener("input", () => {
  const now = Date.now();
  if (now - last < 1000) return;
  last = now;
  tell();
});
