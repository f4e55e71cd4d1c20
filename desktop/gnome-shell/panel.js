// The icon in GNOME's panel, and its menu. It is there while another device offers something that can be continued here.

import Clutter from 'gi://Clutter';
import Gettext from 'gettext';
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import Pango from 'gi://Pango';
import Shell from 'gi://Shell';
import St from 'gi://St';

import {Door} from './door.js';

const DOMAIN = 'segue-desktop';
const DESKTOP = 'org.segue.Desktop';
const ICON = 'org.segue.Segue';
/** Another extension that owns this name shows the daemon's own item, and two icons would be one too many. */
const WATCHER = 'org.kde.StatusNotifierWatcher';
/** The limit searchResults of the daemon, which is what its own item lists. */
const MOST_OFFERS = 32;
/** The width of the longest title, in em. */
const WIDTH = 24;
/** Marks around a text that may be of another direction than the line. */
const [ISOLATE, END] = ['\u2068', '\u2069'];

function _(text) {
  return Gettext.dgettext(DOMAIN, text);
}

function appOf(id) {
  return Shell.AppSystem.get_default().lookup_app(`${id}.desktop`);
}

function browser() {
  return Gio.AppInfo.get_default_for_uri_scheme('https');
}

/** Whether the panel shows it: an offer of another device that something here continues. */
function isShown(offer) {
  return !offer.here && (offer['local-app'] || offer.candidates?.length > 0 || offer['in-browser']);
}

function titleOf(offer) {
  return offer.title?.trim() || offer['web-host'] || offer['app-name'] || offer.type || '';
}

function detailsOf(offer) {
  const device = ISOLATE + (offer['device-name'] ?? '') + END;
  const parts = [_('From {device}').replace('{device}', () => device)];
  if (offer['in-browser'] && !offer['local-app'] && offer['web-host'])
    parts.push(_('Opens {host} in the browser').replace('{host}', () => ISOLATE + offer['web-host'] + END));
  if (offer.stored)
    parts.push(_('As it was last stored'));
  // The daemon's sentence on a file that is not here.
  if (offer['file-sentence'])
    parts.push(ISOLATE + offer['file-sentence'].replace(/\.$/, '') + END);
  return parts.join(' · ');
}

/** `ui`: the shell's modules, which are imported differently before GNOME 45. `path`: the extension's own directory. */
export class Panel {
  #ui;
  #button;
  #door;
  #watch;
  /** The offers of the menu as they are there, for a list that has changed in nothing but its age. */
  #shown = '';

  constructor(ui, uuid, path) {
    this.#ui = ui;
    // From share/gnome-shell/extensions/UUID and share/segue-desktop/gnome-shell/FORM alike.
    Gettext.bindtextdomain(DOMAIN, GLib.build_filenamev([path, '..', '..', '..', 'locale']));
    this.#button = new ui.PanelMenu.Button(0.5, 'Segue');
    this.#button.add_child(new St.Icon({icon_name: `${ICON}-symbolic`, style_class: 'system-status-icon'}));
    this.#button.visible = false;
    ui.Main.panel.addToStatusArea(uuid, this.#button);
    this.#door = new Door(rows => this.#show(rows.filter(isShown).slice(0, MOST_OFFERS)));
    this.#watch = Gio.bus_watch_name(
      Gio.BusType.SESSION, WATCHER, Gio.BusNameWatcherFlags.NONE, () => this.#door.close(), () => this.#door.open());
  }

  destroy() {
    Gio.bus_unwatch_name(this.#watch);
    this.#door.close();
    this.#button.destroy();
    this.#button = null;
  }

  #show(offers) {
    const {menu} = this.#button;
    const shown = JSON.stringify(offers.map(({age: _age, 'stored-age': _storedAge, revision: _revision, ...rest}) => rest));
    if (shown === this.#shown)
      return;
    this.#shown = shown;
    this.#button.visible = offers.length > 0;
    if (!offers.length)
      menu.close();
    menu.removeAll();
    // A menu without entries would not open.
    for (const offer of offers)
      menu.addMenuItem(this.#itemOf(offer));
    if (!offers.length || !appOf(DESKTOP))
      return;
    menu.addMenuItem(new this.#ui.PopupMenu.PopupSeparatorMenuItem());
    menu.addAction(_('Open Segue'), () => appOf(DESKTOP)?.activate());
  }

  #itemOf(offer) {
    const {PopupMenu} = this.#ui;
    const texts = new St.Widget({
      layout_manager: new Clutter.BoxLayout({orientation: Clutter.Orientation.VERTICAL}), x_expand: true,
    });
    for (const [text, style, opacity] of [[titleOf(offer), '', 255], [detailsOf(offer), 'font-size: smaller;', 180]]) {
      const label = new St.Label({text, opacity, style: `max-width: ${WIDTH}em; ${style}`});
      label.clutter_text.ellipsize = Pango.EllipsizeMode.END;
      texts.add_child(label);
    }
    const application = appOf(offer['local-app']);
    const gicon = application?.get_icon() ?? (offer['in-browser'] ? browser()?.get_icon() : null) ?? new Gio.ThemedIcon({name: ICON});
    const icon = new St.Icon({gicon, style: 'icon-size: 24px;', y_align: Clutter.ActorAlign.CENTER});
    const mustChoose = offer['needs-choice'] && offer.candidates?.length > 1;
    const item = mustChoose ? new PopupMenu.PopupSubMenuMenuItem('', false) : new PopupMenu.PopupBaseMenuItem();
    if (mustChoose)
      item.label.hide();
    item.insert_child_at_index(icon, 1);
    item.insert_child_at_index(texts, 2);
    item.accessible_name = `${titleOf(offer)}, ${detailsOf(offer)}`;
    if (!mustChoose)
      item.connect('activate', (_item, event) => this.#take(offer, application?.get_app_info() ?? browser(), event));
    for (const id of mustChoose ? offer.candidates : []) {
      const app = appOf(id);
      item.menu.addAction(app?.get_name() ?? id, event => this.#take(offer, app?.get_app_info(), event, id));
    }
    return item;
  }

  /** `info`: the application that continues it, whose window the shell lets come to the front. */
  #take(offer, info, event, app = '') {
    const context = global.create_app_launch_context(event?.get_time() ?? 0, -1);
    const token = info ? context.get_startup_notify_id(info, []) : null;
    this.#door.take(offer, {app, 'activation-token': token}).catch(error => {
      const isTold = Gio.DBusError.is_remote_error(error);
      if (isTold)
        Gio.DBusError.strip_remote_error(error);
      if (this.#button)
        this.#ui.Main.notify(titleOf(offer), isTold ? error.message : _('The Segue daemon does not answer.'));
    });
  }
}
