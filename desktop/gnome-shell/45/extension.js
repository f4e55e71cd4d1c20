// For GNOME Shell from 45 on, whose extensions are modules.

import * as Main from 'resource:///org/gnome/shell/ui/main.js';
import * as PanelMenu from 'resource:///org/gnome/shell/ui/panelMenu.js';
import * as PopupMenu from 'resource:///org/gnome/shell/ui/popupMenu.js';
import {Extension} from 'resource:///org/gnome/shell/extensions/extension.js';

import {Panel} from './panel.js';

export default class Segue extends Extension {
  enable() {
    this._panel = new Panel({Main, PanelMenu, PopupMenu}, this.uuid, this.path);
  }

  disable() {
    // The shell disables it on the lock screen, too, where nothing is shown.
    this._panel?.destroy();
    this._panel = null;
  }
}
