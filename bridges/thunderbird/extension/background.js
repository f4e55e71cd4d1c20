// The extension's background, which is there as long as Thunderbird runs. When it ends, the host ends too, and withdraws
// all offers.

import { drafts } from "./drafts.js";
import { host } from "./host.js";

const handlers = {
  where: drafts.where,
  open: drafts.open,
  unsaved: drafts.unsaved,
  error: ({ of, reason }) => console.warn(`Segue: ${of}: ${reason}`),
};

host.receive = (message) => {
  if (Object.hasOwn(handlers, message.type)) handlers[message.type](message);
};
host.ready = () => drafts.tellAnew();
drafts.listen();
host.connect();
