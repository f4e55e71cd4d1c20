// Runs in every page beside position.js, in the same world: reads the text in the page's forms that was not sent.

const textInputs = ["text", "search", "email", "url", "tel", "number"];
const typedFields = new Set();
let hasToldUnsent = null;

// Excludes passwords, even visible ones, and card numbers.
function takesText(field) {
  const isText =
    field instanceof HTMLTextAreaElement || (field instanceof HTMLInputElement && textInputs.includes(field.type));
  return isText && !/password|one-time-code|\bcc-/i.test(field.autocomplete);
}

function nameOf(field) {
  return field.name || field.id;
}

// A form may have several fields of one name: they are told apart by their order.
function fieldsNamed(name) {
  const all = Document.prototype.querySelectorAll.call(document, "input, textarea");
  return [...all].filter((field) => takesText(field) && nameOf(field) === name);
}

function unsentText() {
  return [...typedFields]
    .filter((field) => field.isConnected && takesText(field) && field.value !== field.defaultValue)
    .map((field) => ({ name: nameOf(field), place: fieldsNamed(nameOf(field)).indexOf(field), text: field.value }));
}

function tellUnsent() {
  const has = unsentText().length > 0;
  if (has !== hasToldUnsent) window.webkit.messageHandlers.unsent.postMessage(has);
  hasToldUnsent = has;
}

// The page's scripts get the same events as when a user types.
function setText(field, text) {
  field.value = text;
  ["input", "change"].forEach((name) => field.dispatchEvent(new Event(name, { bubbles: true })));
}

// Returns whether every text found its field. Text that the user has typed here meanwhile stays.
function fillUnsent(fields) {
  let filled = 0;
  for (const { name, place, text } of fields) {
    const field = fieldsNamed(name)[place];
    if (!field || field.readOnly || field.disabled || typedFields.has(field)) continue;
    typedFields.add(field);
    setText(field, text);
    filled += 1;
  }
  tellUnsent();
  return filled === fields.length;
}

// Empties the fields, except those whose text has changed since.
function dropUnsent(fields) {
  for (const { name, place, text } of fields) {
    const field = fieldsNamed(name)[place];
    if (!field || field.value !== text) continue;
    typedFields.delete(field);
    setText(field, field.defaultValue);
  }
  tellUnsent();
}

window.addEventListener("input", (event) => {
  if (!event.isTrusted || !takesText(event.target)) return;
  typedFields.add(event.target);
  tellUnsent();
}, true);

// A submission that the page's script handles itself, or refuses, does not count.
window.addEventListener("submit", (event) => {
  if (event.defaultPrevented) return;
  typedFields.forEach((field) => {
    if (field.form === event.target) typedFields.delete(field);
  });
  tellUnsent();
});

tellUnsent();
