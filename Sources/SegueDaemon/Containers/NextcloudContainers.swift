import SegueCore

/// The folders that Nextcloud's desktop client keeps the same as folders of a server, from its `nextcloud.cfg`.
///
/// A container's id is `nextcloud:<user>@<server>#<folder there>`, which is the same on every device that has the
/// folder from there. The id holds no secret.
enum NextcloudContainers {
  static func read(_ bytes: [UInt8], _ settings: ContainerSettings) throws(SegueError) -> ContainerReading {
    let file = try QtSettings(bytes, group: "Accounts")
    var reading = ContainerReading()
    for (key, path) in file.values.pairs.sorted(by: { $0.key < $1.key }) {
      // 0/Folders/1/localPath; with virtual files or several folders the second part has another name.
      let parts = key.parts(at: "/", omittingEmpty: false)
      guard parts.count == 4, parts[3] == "localPath", kinds.contains(parts[1]) else { continue }
      let account = parts[0]
      guard let server = server(file.values["\(account)/url"] ?? "") else {
        reading.problems.append("The account \(DisplayText.clean(account)) has no server's address.")
        continue
      }
      let user = ["dav_user", "webflow_user", "http_user"].lazy.compactMap { file.values["\(account)/\($0)"] }.first
      let target = (file.values[parts.dropLast().joined(separator: "/") + "/targetPath"] ?? "").parts(at: "/")
      reading.add(
        id: "nextcloud:\(encoded(user ?? ""))@\(server)#/\(target.joined(separator: "/"))", path: path, settings)
    }
    return reading
  }

  private static let kinds: TextSet = ["Folders", "Multifolders", "FoldersWithPlaceholders"]

  /// Host, port and path of an address, in one notation; nil for an invalid address.
  private static func server(_ address: String) -> String? {
    // Qt writes a host as its user reads it. No user and no password is in an address that is accepted.
    guard let url = WebURL(HostName.inASCII(address)), let rest = url.string.rest(after: url.scheme + "://") else {
      return nil
    }
    let end = rest.unicodeScalars.firstIndex { $0 == "?" || $0 == "#" } ?? rest.endIndex
    return rest[..<end].parts(at: "/").joined(separator: "/")
  }

  /// A name in which nothing can be taken for what stands around it.
  private static func encoded(_ user: String) -> String {
    user.utf8.map { byte in
      let scalar = Unicode.Scalar(byte)
      let isPlain = ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar)
      return isPlain || "-._".unicodeScalars.contains(scalar) ? String(scalar) : "%" + String(byte, radix: 16)
    }.joined()
  }
}
