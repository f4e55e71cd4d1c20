// Runs in each compose window: tells the extension that the user has typed, once a second at most.

let last = 0;

addEventListener("input", () => {
  const now = Date.now();
  if (now - last < 1000) return;
  last = now;
  browser.runtime.sendMessage({ type: "moved" });
});
