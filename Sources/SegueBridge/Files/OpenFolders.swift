import SegueBus
import SegueCore

/// The folders that a file manager's windows show, and which of them is in front. Pure.
struct OpenFolders {
  /// The folder that the user went to last; nil where that is none of this device's, as the wastebasket.
  private(set) var front: FileURL?
  /// The locations of all tabs, as the file manager names them.
  private var locations: [String] = []

  /// Takes the locations that are open now, those of the window that came last first. Nautilus says which there are, and
  /// not which one its user looks at: the one that is new is that.
  mutating func take(_ now: [String]) {
    let now = Array(now.prefix(Limits.bridgeLocations))
    let came = now.first { new in !locations.contains { $0.isSame(as: new) } }
    locations = now
    if let came {
      front = Self.folder(came)
    } else if !has(front) {
      front = now.first.flatMap { Self.folder($0) }
    }
  }

  /// Whether a window shows it.
  func has(_ folder: FileURL?) -> Bool { folder.map { locations.compactMap(Self.folder).contains($0) } ?? false }

  private static func folder(_ location: String) -> FileURL? {
    guard case .file(let file) = OpenAddress(location) else { return nil }
    return file
  }

  /// The locations in the property OpenWindowsWithLocations, `a{sas}`.
  static func locations(_ value: BusValue) -> [String] {
    (value.asArray ?? []).flatMap { window -> [String] in
      guard case .structure(let entry) = window, entry.count == 2 else { return [] }
      return entry[1].asStrings ?? []
    }
  }
}

/// The folder of another device that is to be shown here (`org.segue.open.Folder`), checked.
struct FolderPlace: Equatable {
  let folder: FileURL
  /// Names in it that were selected there.
  let selected: [String]

  init?(_ userInfo: [Value: Value]) {
    guard case .file(let folder) = OpenAddress(userInfo) else { return nil }
    self.folder = folder
    guard case .array(let names) = userInfo[.string("selected")] else {
      selected = []
      return
    }
    selected = names.prefix(Limits.bridgeLocations).compactMap {
      guard case .string(let name) = $0, !name.isEmpty, !name.has("/"), name != ".", name != ".." else { return nil }
      return name
    }
  }

  /// The first selected one that is here.
  var item: FileURL? {
    selected.lazy.compactMap { name in FileURL(path: (folder.path == "/" ? "" : folder.path) + "/" + name) }
      .first { OpenAddress.file($0).isThere || OpenAddress.file($0).isFolder }
  }
}
