import CGTK

/// The window: the list of lines, an entry for the line that is written, and a line about what has happened. It shows what
/// the controller's views hold, and tells them what its user does.
@MainActor
final class OutlineWindow {
  private let controller: Controller
  private let window: Widget
  private let list: Widget
  private let entry: Widget
  private let status: Widget
  /// The window shows what came, and the user has done nothing.
  private var isShowing = false

  /// Nil without memory.
  init?(in application: UnsafeMutablePointer<GtkApplication>, _ controller: Controller) {
    guard let window = Widget(gtk_application_window_new(application)), let list = Widget(gtk_list_box_new()),
      let entry = Widget(gtk_entry_new()), let status = Widget(gtk_label_new(nil)),
      let scrolled = Widget(gtk_scrolled_window_new()), let button = Widget(gtk_button_new_with_label("Put In")),
      let bar = Widget(gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6)),
      let column = Widget(gtk_box_new(GTK_ORIENTATION_VERTICAL, 6))
    else { return nil }
    self.controller = controller
    (self.window, self.list, self.entry, self.status) = (window, list, entry, status)

    gtk_widget_add_css_class(list.widget, "rich-list")
    gtk_scrolled_window_set_child(scrolled.opaque, list.widget)
    gtk_scrolled_window_set_has_frame(scrolled.opaque, 1)
    gtk_widget_set_vexpand(scrolled.widget, 1)
    gtk_widget_set_hexpand(entry.widget, 1)
    gtk_entry_set_placeholder_text(entry.cast(to: GtkEntry.self), "The line in other words")
    gtk_box_append(bar.cast(to: GtkBox.self), entry.widget)
    gtk_box_append(bar.cast(to: GtkBox.self), button.widget)
    gtk_label_set_xalign(status.opaque, 0)
    gtk_label_set_ellipsize(status.opaque, PANGO_ELLIPSIZE_END)
    gtk_widget_add_css_class(status.widget, "dim-label")
    for part in [scrolled, bar, status] { gtk_box_append(column.cast(to: GtkBox.self), part.widget) }
    gtk_widget_set_margin_start(column.widget, 12)
    gtk_widget_set_margin_end(column.widget, 12)
    gtk_widget_set_margin_top(column.widget, 12)
    gtk_widget_set_margin_bottom(column.widget, 12)
    gtk_window_set_child(window.cast(to: GtkWindow.self), column.widget)
    gtk_window_set_default_size(window.cast(to: GtkWindow.self), 420, 320)

    list.connect("row-selected", values: 1) { [weak self] in self?.selected() }
    entry.connect("changed") { [weak self] in self?.edited() }
    entry.connect("notify::cursor-position", values: 1) { [weak self] in self?.edited() }
    for (widget, signal) in [(entry, "activate"), (button, "clicked")] {
      widget.connect(signal) { [weak self] in self?.putIn() }
    }
  }

  /// Brings the window to the front.
  func present() { gtk_window_present(window.cast(to: GtkWindow.self)) }

  /// The window goes; the application ends with its last one.
  func onClose(_ body: @escaping @MainActor () -> Void) { window.connect("destroy", body) }

  func say(_ line: String) { gtk_label_set_text(status.opaque, line) }

  /// Shows what the controller has.
  func show() {
    isShowing = true
    defer { isShowing = false }
    gtk_window_set_title(window.cast(to: GtkWindow.self), controller.title)
    while let row = gtk_list_box_get_row_at_index(list.opaque, 0) {
      gtk_list_box_remove(list.opaque, Widget(UnsafeMutableRawPointer(row)).widget)
    }
    for line in controller.outline.lines {
      guard let label = Widget(gtk_label_new(line)) else { continue }
      gtk_label_set_xalign(label.opaque, 0)
      gtk_label_set_ellipsize(label.opaque, PANGO_ELLIPSIZE_END)
      gtk_list_box_append(list.opaque, label.widget)
    }
    let row = gtk_list_box_get_row_at_index(list.opaque, Int32(clamping: controller.list.selection))
    gtk_list_box_select_row(list.opaque, row)
    gtk_editable_set_text(entry.opaque, controller.editor.text)
    gtk_widget_grab_focus(entry.widget)
    gtk_editable_set_position(entry.opaque, Int32(clamping: controller.editor.caret))
  }

  private func selected() {
    guard !isShowing, let row = gtk_list_box_get_selected_row(list.opaque) else { return }
    controller.list.selection = Int(gtk_list_box_row_get_index(row))
  }

  private func edited() {
    guard !isShowing else { return }
    let text = gtk_editable_get_text(entry.opaque).map { String(cString: $0) } ?? ""
    controller.editor.edit(text, caret: Int(gtk_editable_get_position(entry.opaque)))
  }

  private func putIn() {
    do {
      try controller.putIn()
    } catch {
      say("\(error)")
    }
    show()
  }
}
