import SegueCore
import SegueEngine

/// A file of a data directory, as it was read.
struct Declaration: Sendable {
  enum Content: Sendable {
    /// It is not there, or none of Segue's business.
    case nothing
    /// It would have been one of ours, and is not taken, for this reason.
    case rejected(String)
    case desktop(Registry.DesktopRecord)
    case service(Registry.ServiceRecord)
    case team(TeamFile)
  }

  let path: String
  let file: Registry.Pending
  /// The application that it would be of, by its place.
  let id: AppID?
  /// The kernel said this of it before it was read; nil if it was not read, or was reached by a link.
  let identity: FileIdentity?
  let content: Content
}

extension DeclarationReader {
  /// Reads the file at a path, unless it is gone.
  func declaration(_ path: String, _ file: Registry.Pending) -> Declaration {
    let id = file.root.appID(of: path)
    guard !file.isGone, let (folder, name) = path.pathParts else {
      return Declaration(path: path, file: file, id: id, identity: nil, content: .nothing)
    }
    let root = file.root
    let outcome = read(name, in: self.folder(folder, in: root.directory), isMarked: root.kind == .applications)
    let content = content(of: outcome, path, root, id)
    return Declaration(path: path, file: file, id: id, identity: identity, content: content)
  }

  private func content(
    of outcome: Outcome, _ path: String, _ root: Registry.Root, _ id: AppID?
  ) -> Declaration.Content {
    switch outcome {
    case .nothing: return .nothing
    case .rejected(let reason): return .rejected(reason)
    case .file(let bytes, let isTrusted, _) where root.kind == .teams:
      return .team(TeamFile(bytes, path: path, order: root.order, isTrusted: isTrusted))
    case .file(let bytes, let isTrusted, let isOurs):
      guard let id else { return isOurs ? .rejected("has a name that is not an application id") : .nothing }
      guard root.kind == .applications else {
        let file = Result { () throws(SegueError) in try ServiceFile(bytes, of: id) }
        return .service(Registry.ServiceRecord(path: path, order: root.order, isTrusted: isTrusted, file: file))
      }
      do throws(SegueError) {
        return try desktopContent(bytes, path, id, root, isTrusted)
      } catch {
        return isOurs ? .rejected("is malformed: \(error.message)") : .nothing
      }
    }
  }

  private func desktopContent(
    _ bytes: [UInt8], _ path: String, _ id: AppID, _ root: Registry.Root, _ isTrusted: Bool
  ) throws(SegueError) -> Declaration.Content {
    let tier: InstalledApplication.Tier = isTrusted ? .system : .user
    switch try DesktopFile.read(bytes, wanted) {
    case .other: return .nothing
    case .hidden: return .desktop(Registry.DesktopRecord(path: path, order: root.order, tier: tier, file: nil))
    case .application(let file):
      // Only the administrator's Flatpak says of whom it was that exported it.
      let isSandboxed = isTrusted && root.directory.flatpakInstallation != nil && file.flatpakID == id.string
      return .desktop(
        Registry.DesktopRecord(path: path, order: root.order, tier: isSandboxed ? .sandbox : tier, file: file))
    }
  }
}
