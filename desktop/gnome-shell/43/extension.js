// For GNOME Shell before 45, whose extensions are scripts. They import modules too, but only while they run.

/* exported init */

const Main = imports.ui.main;
const PanelMenu = imports.ui.panelMenu;
const PopupMenu = imports.ui.popupMenu;

class Segue {
  constructor({uuid, dir, path}) {
    this._uuid = uuid;
    this._module = dir.get_child('panel.js').get_uri();
    this._path = path;
  }

  enable() {
    const attempt = this._attempt = {};
    import(this._module).then(({Panel}) => {
      // It may have been disabled meanwhile.
      if (attempt === this._attempt)
        this._panel = new Panel({Main, PanelMenu, PopupMenu}, this._uuid, this._path);
    }).catch(error => logError(error, 'Segue'));
  }

  disable() {
    // The shell disables it on the lock screen, too, where nothing is shown.
    this._attempt = null;
    this._panel?.destroy();
    this._panel = null;
  }
}

function init() {
  return new Segue(imports.misc.extensionUtils.getCurrentExtension());
}
