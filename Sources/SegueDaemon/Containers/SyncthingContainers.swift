import CExpat
import SegueCore

/// The folders that Syncthing keeps the same on several devices, from its `config.xml`.
///
/// A container's id is `syncthing:` and the folder's id, which is the same on every device that shares it.
enum SyncthingContainers {
  static func read(_ bytes: [UInt8], _ settings: ContainerSettings) throws(SegueError) -> ContainerReading {
    let reader = Reader(settings)
    guard let parser = XML_ParserCreate(nil) else { throw SegueError(.system, "There is no memory for its XML.") }
    defer { XML_ParserFree(parser) }
    reader.parser = parser
    XML_SetUserData(parser, Unmanaged.passUnretained(reader).toOpaque())
    XML_SetElementHandler(
      parser, { data, name, attributes in Reader.of(data)?.open(name, attributes) },
      { data, _ in Reader.of(data)?.close() })
    // Syncthing writes none. Only there can entities be declared, which grow or read files.
    XML_SetStartDoctypeDeclHandler(parser) { data, _, _, _, _ in Reader.of(data)?.stop() }
    let status = bytes.withUnsafeBytes { bytes in
      XML_Parse(parser, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(clamping: bytes.count), 1)
    }
    guard status == XML_STATUS_OK else {
      let line = XML_GetCurrentLineNumber(parser)
      guard !reader.isStopped else {
        throw SegueError(.invalidArgument, "Line \(line): a document type, which Syncthing's configuration has not.")
      }
      let reason = XML_ErrorString(XML_GetErrorCode(parser)).map { String(cString: $0) } ?? "not XML"
      throw SegueError(.invalidArgument, "Line \(line): \(reason).")
    }
    guard reader.isConfiguration else {
      throw SegueError(.invalidArgument, "This is not a configuration of Syncthing.")
    }
    return reader.reading
  }

  private final class Reader {
    let settings: ContainerSettings
    var parser: XML_Parser?
    var reading = ContainerReading()
    var isConfiguration = false
    var isStopped = false
    private var depth = 0

    init(_ settings: ContainerSettings) { self.settings = settings }

    static func of(_ data: UnsafeMutableRawPointer?) -> Reader? {
      data.map { Unmanaged<Reader>.fromOpaque($0).takeUnretainedValue() }
    }

    func open(_ name: UnsafePointer<CChar>?, _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?) {
      depth += 1
      let name = name.map { String(cString: $0) }
      if depth == 1 { isConfiguration = name == "configuration" }
      // Deeper folder elements are patterns for folders to come.
      if depth == 2, name == "folder", isConfiguration { folder(Self.dictionary(attributes)) }
    }

    func close() { depth -= 1 }

    func stop() {
      isStopped = true
      XML_StopParser(parser, XML_Bool(XML_FALSE))
    }

    private func folder(_ attributes: TextMap<String>) {
      guard let id = attributes["id"], !id.isEmpty, let path = attributes["path"] else {
        return reading.problems.append("A folder without id or path.")
      }
      // This device only stores such a folder for others, who hold its key: no file in it can be opened here.
      guard attributes["type"] != "receiveencrypted" else { return }
      reading.add(id: "syncthing:" + id, path: path, settings)
    }

    /// Names and values, in turns, up to a null.
    private static func dictionary(_ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?) -> TextMap<String> {
      var dictionary: TextMap<String> = [:]
      var at = attributes
      while let name = at?[0], let value = at?[1] {
        dictionary[String(cString: name)] = String(cString: value)
        at = at?.advanced(by: 2)
      }
      return dictionary
    }
  }
}
