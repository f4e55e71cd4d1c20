import SegueBus
import SegueCore

/// The calls of a reader's windows on the bus. Pages are from 1.
protocol Reader {
  /// The part of the bus's names in which its windows have theirs.
  var namespace: BusName { get }
  /// The arguments with which a new window opens a file that is here; empty where it is told when it has come.
  func arguments(for file: FileURL) -> [String]
  func read(_ window: BusName, _ done: @escaping (ReaderProperties?) -> Void)
  func open(_ window: BusName, _ file: FileURL, page: Int)
  func go(_ window: BusName, to page: Int)
}

/// Zathura 0.5: a process for each document.
struct Zathura: Reader {
  private static let path = ObjectPath(constant: "/org/pwmt/zathura")
  private static let interface = InterfaceName(constant: "org.pwmt.zathura")

  let namespace = BusName(constant: "org.pwmt.zathura")
  private let bus: SessionBus

  init(_ bus: SessionBus) { self.bus = bus }

  func arguments(for file: FileURL) -> [String] { [] }

  func read(_ window: BusName, _ done: @escaping (ReaderProperties?) -> Void) {
    bus.properties(of: window, Self.path, Self.interface) { values in
      done(
        values.map {
          ReaderProperties(
            file: $0["filename"]?.asString.flatMap { FileURL(path: $0) },
            page: Int($0["pagenumber"]?.asUInt32 ?? 0) + 1, pages: Int($0["numberofpages"]?.asUInt32 ?? 0))
        })
    }
  }

  func open(_ window: BusName, _ file: FileURL, page: Int) {
    let page = Int32(clamping: page - 1)
    // The second one is a password.
    bus.call(
      window, Self.path, Self.interface, MemberName(constant: "OpenDocument"),
      [.string(file.path), .string(""), .int32(page)])
  }

  func go(_ window: BusName, to page: Int) {
    bus.call(
      window, Self.path, Self.interface, MemberName(constant: "GotoPage"), [.uint32(UInt32(clamping: page - 1))])
  }
}

/// Okular 22: the first tab of each window. One that is told on the bus to open a document has it behind its welcome page.
struct Okular: Reader {
  private static let path = ObjectPath(constant: "/okular")
  private static let interface = InterfaceName(constant: "org.kde.okular")

  // Its names go on behind a hyphen, which is no part of its own.
  let namespace = BusName(constant: "org.kde")
  private let bus: SessionBus

  init(_ bus: SessionBus) { self.bus = bus }

  // A whole path begins with a slash, and so is no option.
  func arguments(for file: FileURL) -> [String] { [file.path] }

  func read(_ window: BusName, _ done: @escaping (ReaderProperties?) -> Void) {
    call(window, "currentDocument") { document in
      guard let text = document?.asString else { return done(nil) }
      call(window, "currentPage") { page in
        call(window, "pages") { pages in
          done(
            ReaderProperties(
              file: FileURL(text) ?? FileURL(path: text), page: Int(page?.asUInt32 ?? 0),
              pages: Int(pages?.asUInt32 ?? 0)))
        }
      }
    }
  }

  // It opens what it was started with.
  func open(_ window: BusName, _ file: FileURL, page: Int) {}

  func go(_ window: BusName, to page: Int) { call(window, "goToPage", [.uint32(UInt32(clamping: page))]) }

  private func call(
    _ window: BusName, _ member: StaticString, _ values: [BusValue] = [],
    _ done: @escaping (BusValue?) -> Void = { _ in }
  ) {
    bus.call(window, Self.path, Self.interface, MemberName(constant: member), values) { done($0?.first) }
  }
}
