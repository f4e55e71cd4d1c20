// The connection to the daemon's private door, which alone carries titles (docs/bus.md has the way there). Every step is
// asynchronous and has a time limit, since it runs in the shell.

import Gio from 'gi://Gio';
import GLib from 'gi://GLib';

const DAEMON = 'org.segue.Daemon1';
const DOOR = 'org.segue.Door1';
const CONTROL = 'org.segue.Control1';
/** The version of the door that this file knows. */
const VERSION = 1;
/** How long the way to the door and the first list may take. */
const CONNECTING_SECONDS = 15;
/** The pause before the door is tried again of a daemon that is there and did not answer. */
const PAUSE_SECONDS = 30;
const ANSWER_MILLISECONDS = 15000;
/** The daemon bounds every phase of a continuation itself; files may be long on their way. */
const CONTINUATION_MILLISECONDS = 3600 * 1000;
/** The signals after which the list of offers may be another one. */
const CHANGES = ['OffersChanged', 'StoredChanged', 'DevicesChanged'];

function pathOf(name) {
  return `/${name.replaceAll('.', '/')}`;
}

/** Starts an asynchronous call of Gio, and resolves with what the end of that call returns. */
function asked(start, end) {
  return new Promise((resolve, reject) => {
    start((_, result) => {
      try {
        resolve(end(result));
      } catch (error) {
        reject(error);
      }
    });
  });
}

/** Opens a connection at the door. */
async function connect(cancellable) {
  const bus = Gio.DBus.session;
  const [values, list] = await asked(
    // The extension does not start a daemon: applications do, and the user's session.
    done => bus.call_with_unix_fd_list(
      DAEMON, pathOf(DAEMON), DAEMON, 'OpenDoor', null, null, Gio.DBusCallFlags.NO_AUTO_START, ANSWER_MILLISECONDS, null,
      cancellable, done),
    result => bus.call_with_unix_fd_list_finish(result));
  const [index, token] = values.deepUnpack();
  const descriptors = list.steal_fds();
  let connection;
  try {
    connection = await asked(
      done => Gio.DBusConnection.new_for_address(
        `unix:path=/proc/self/fd/${descriptors[index]}`, Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT, null, cancellable, done),
      result => Gio.DBusConnection.new_for_address_finish(result));
  } finally {
    descriptors.forEach(descriptor => GLib.close(descriptor));
  }
  try {
    await call(
      connection, DOOR, 'Hello', new GLib.Variant('(uusa{sv})', [VERSION, VERSION, token, {}]), ANSWER_MILLISECONDS, cancellable);
  } catch (error) {
    connection.close(null, null);
    throw error;
  }
  return connection;
}

async function call(connection, name, method, values, milliseconds, cancellable) {
  const reply = await asked(
    done => connection.call(
      null, pathOf(name), name, method, values, null, Gio.DBusCallFlags.NONE, milliseconds, cancellable, done),
    result => connection.call_finish(result));
  return reply.recursiveUnpack();
}

/** Follows the daemon as it comes and goes, and the list of what can be continued here. */
export class Door {
  #onOffers;
  #watch = 0;
  #timer = 0;
  /** The attempt that goes on or has led to the connection. Its cancellation ends everything that belongs to it. */
  #attempt = null;
  #connection = null;
  /** Asks for the list. */
  #ask = null;

  /** `onOffers` is called with the rows of ListOffers, with none where there is no daemon. */
  constructor(onOffers) {
    this.#onOffers = onOffers;
  }

  open() {
    if (this.#watch)
      return;
    this.#watch = Gio.bus_watch_name(
      Gio.BusType.SESSION, DAEMON, Gio.BusNameWatcherFlags.NONE, () => this.#connect(), () => this.#leave());
  }

  close() {
    if (!this.#watch)
      return;
    Gio.bus_unwatch_name(this.#watch);
    this.#watch = 0;
    this.#leave();
  }

  /** Continues an offer here. Rejects with the daemon's error, or with one of Gio's if the daemon does not answer. */
  async take(offer, options) {
    const said = {};
    for (const [name, value] of Object.entries({device: offer['device-id'], ...options})) {
      if (value)
        said[name] = new GLib.Variant('s', value);
    }
    const end = call(
      this.#connection, CONTROL, 'Continue', new GLib.Variant('(sa{sv})', [offer.id, said]), CONTINUATION_MILLISECONDS, null);
    // A daemon that does not answer this soon is left, and that ends the call.
    this.#ask?.();
    await end;
  }

  #connect() {
    this.#leave();
    const attempt = this.#attempt = new Gio.Cancellable();
    this.#wait(CONNECTING_SECONDS, () => this.#tryLater(attempt));
    this.#enter(attempt).catch(error => {
      if (attempt === this.#attempt)
        console.warn(`Segue: the daemon cannot be asked: ${error.message}`);
      this.#tryLater(attempt);
    });
  }

  async #enter(attempt) {
    const connection = await connect(attempt);
    if (attempt !== this.#attempt) {
      connection.close(null, null);
      return;
    }
    this.#connection = connection;
    connection.connect('closed', () => this.#tryLater(attempt));
    // One question at a time: whatever changes meanwhile is asked for once more behind it.
    let isAsking = false, isStale = true;
    const list = async () => {
      isStale = true;
      if (isAsking)
        return;
      isAsking = true;
      try {
        while (isStale) {
          isStale = false;
          const [rows] = await call(connection, CONTROL, 'ListOffers', null, ANSWER_MILLISECONDS, attempt);
          if (attempt !== this.#attempt)
            return;
          this.#stopWaiting();
          this.#onOffers(rows);
        }
      } finally {
        isAsking = false;
      }
    };
    this.#ask = () => list().catch(() => this.#tryLater(attempt));
    for (const name of CHANGES) {
      connection.signal_subscribe(
        null, CONTROL, name, pathOf(CONTROL), null, Gio.DBusSignalFlags.NONE, () => this.#ask?.());
    }
    await list();
  }

  /** The attempt has failed. The next one is when the daemon appears again, or after a pause. */
  #tryLater(attempt) {
    if (attempt !== this.#attempt)
      return;
    this.#leave();
    this.#wait(PAUSE_SECONDS, () => this.#connect());
  }

  #leave() {
    this.#stopWaiting();
    const [attempt, connection] = [this.#attempt, this.#connection];
    this.#attempt = this.#connection = this.#ask = null;
    attempt?.cancel();
    if (connection && !connection.is_closed())
      connection.close(null, null);
    this.#onOffers([]);
  }

  #wait(seconds, then) {
    this.#stopWaiting();
    this.#timer = GLib.timeout_add_seconds(GLib.PRIORITY_DEFAULT, seconds, () => {
      this.#timer = 0;
      then();
      return GLib.SOURCE_REMOVE;
    });
  }

  #stopWaiting() {
    if (this.#timer)
      GLib.source_remove(this.#timer);
    this.#timer = 0;
  }
}
