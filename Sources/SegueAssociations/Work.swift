import CAssociations
import Glibc
import SegueCore
import SegueWeb

/// The task that the process was started for.
struct Work {
  private enum Task {
    case fetch(DomainName)
    case open(DomainName?)
    case sign(key: String, certificate: String, chain: String?)
  }

  private let task: Task
  private let roots = Self.environment("SEGUE_ASSOCIATIONS_ROOTS")
  private let server = Self.environment("SEGUE_ASSOCIATIONS_SERVER")

  /// Nil for arguments that are not understood.
  init?(_ arguments: [String]) {
    switch (arguments.first, arguments.count) {
    case ("fetch", 2):
      guard let host = DomainName(arguments[1]) else { return nil }
      task = .fetch(host)
    case ("open", 1): task = .open(nil)
    case ("open", 2):
      guard let host = DomainName(arguments[1]) else { return nil }
      task = .open(host)
    case ("sign", 3), ("sign", 4):
      task = .sign(
        key: arguments[1], certificate: arguments[2], chain: arguments.count > 3 ? arguments[3] : nil)
    default: return nil
    }
  }

  private static func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

  func report() -> AssociationReport {
    do throws(SegueError) {
      // Before this process is confined.
      let calls = try AssociationCalls.load()
      switch task {
      case .fetch(let host):
        confine()
        return fetch(host, calls)
      case .open(let host):
        confine()
        return judge(Self.input(), host: host, from: "The file", calls)
      case .sign(let key, let certificate, let chain): return sign(Self.input(), key, certificate, chain, calls)
      }
    } catch {
      return AssociationReport(.unreachable, error.message)
    }
  }

  private func confine() {
    // A fetch ends by itself; this limit is some seconds longer.
    _ = segue_confine(roots, UInt32(Limits.associationTime / 1000) + 20)
  }

  /// Standard input, up to one byte more than its maximum.
  private static func input() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Limits.signedAssociationLength + 1)
    var length = 0
    while length < bytes.count {
      let count = bytes.withUnsafeMutableBytes { read(0, $0.baseAddress?.advanced(by: length), $0.count - length) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      length += count
    }
    return Array(bytes[..<length])
  }

  // MARK: Fetching

  private func fetch(_ host: DomainName, _ calls: AssociationCalls) -> AssociationReport {
    let start = Self.now()
    var refusal: AssociationReport?
    for path in ["/.well-known/apple-app-site-association", "/apple-app-site-association"] {
      let url = "https://" + host.string + path
      let used = Self.now() - start
      guard used < Limits.associationTime else { break }
      switch request(url, time: Limits.associationTime - used, calls) {
      case .answer(let report): return report
      case .body(let body): return judge(body, host: host, from: url, calls)
      case .elsewhere(let report): refusal = refusal ?? report
      }
    }
    return refusal ?? AssociationReport(.unreachable, "\(host.string) took too long to answer.")
  }

  private enum Response {
    case body([UInt8])
    /// The request's final answer.
    case answer(AssociationReport)
    /// There is no file there.
    case elsewhere(AssociationReport)
  }

  private func request(_ url: String, time: UInt64, _ calls: AssociationCalls) -> Response {
    var body = [UInt8](repeating: 0, count: Limits.signedAssociationLength)
    var request = segue_request()
    let fetched = body.withUnsafeMutableBufferPointer { buffer in
      withStrings([url, roots, server]) { strings in
        request.url = strings[0]
        request.roots = strings[1]
        request.connect_to = strings[2]
        request.connect_time = Int(Limits.associationConnectTime)
        request.time = Int(time)
        request.body = buffer.baseAddress
        request.room = buffer.count
        return calls.fetch(&request)
      }
    }
    switch segue_fetched(UInt32(fetched)) {
    case SEGUE_FETCHED_BODY: break
    case SEGUE_FETCHED_TOO_LARGE:
      return .answer(AssociationReport(.refused, "\(url) is larger than \(Limits.associationLength) bytes."))
    case SEGUE_FETCHED_ENCODED_ODDLY:
      return .answer(AssociationReport(.refused, "\(url) is not compressed in the way that its server says."))
    default:
      let reason = withUnsafeBytes(of: request.reason) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      return .answer(AssociationReport(.unreachable, "\(url) cannot be fetched: \(reason)."))
    }
    switch request.status {
    case 200: return .body(Array(body[..<request.length]))
    case 300..<400:
      return .elsewhere(
        AssociationReport(.refused, "\(url) redirects (status \(request.status)), which is not followed."))
    case 429, 500...:
      return .elsewhere(AssociationReport(.unreachable, "\(url) answers with status \(request.status)."))
    default: return .elsewhere(AssociationReport(.refused, "\(url) answers with status \(request.status)."))
    }
  }

  private static func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return UInt64(time.tv_sec) * 1000 + UInt64(time.tv_nsec) / 1_000_000
  }

  // MARK: Judging

  private func judge(
    _ bytes: [UInt8], host: DomainName?, from place: String, _ calls: AssociationCalls
  ) -> AssociationReport {
    switch AssociationForm(bytes) {
    case .json: return judge(content: bytes, .plain, place)
    case .signed:
      guard let host else {
        return AssociationReport(.refused, "\(place) is signed: whether by the right one depends on the host.")
      }
      var reason = [CChar](repeating: 0, count: Int(SEGUE_REASON_SIZE))
      var content = [UInt8](repeating: 0, count: Limits.associationLength)
      let length = content.withUnsafeMutableBufferPointer { room in
        withStrings([host.string, roots]) { strings in
          calls.cms_open(bytes, bytes.count, strings[0], strings[1], room.baseAddress, room.count, &reason)
        }
      }
      guard length >= 0 else {
        return AssociationReport(.refused, "\(place) is refused: \(Self.text(reason)).")
      }
      guard AssociationForm(Array(content[..<length])) == .json else {
        return AssociationReport(.refused, "\(place) is refused: what is signed is no JSON object.")
      }
      return judge(content: Array(content[..<length]), .signed, place)
    case .neither:
      return AssociationReport(.refused, "\(place) is neither a JSON object nor a signed one.")
    }
  }

  private func judge(
    content: [UInt8], _ outcome: AssociationReport.Outcome, _ place: String
  ) -> AssociationReport {
    do throws(SegueError) {
      _ = try AssociationFile(content)
      return AssociationReport(outcome, place, content: content)
    } catch {
      return AssociationReport(.refused, "\(place) is refused. \(error.message)")
    }
  }

  private static func text(_ reason: [CChar]) -> String {
    String(decoding: reason.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  // MARK: Signing

  private func sign(
    _ bytes: [UInt8], _ key: String, _ certificate: String, _ chain: String?, _ calls: AssociationCalls
  ) -> AssociationReport {
    guard AssociationForm(bytes) == .json else {
      return AssociationReport(.refused, "The file is no JSON object, so that its signed form would be refused.")
    }
    do throws(SegueError) { _ = try AssociationFile(bytes) } catch {
      return AssociationReport(.refused, "The file would be refused. \(error.message)")
    }
    var reason = [CChar](repeating: 0, count: Int(SEGUE_REASON_SIZE))
    var made = [UInt8](repeating: 0, count: Limits.signedAssociationLength)
    let length = made.withUnsafeMutableBufferPointer { room in
      withStrings([key, certificate, chain]) { strings in
        calls.cms_sign(
          bytes, bytes.count, strings[0], strings[1], strings[2], room.baseAddress, room.count, &reason)
      }
    }
    guard length >= 0 else { return AssociationReport(.refused, "The file was not signed: \(Self.text(reason)).") }
    return AssociationReport(.made, "The signed file.", content: Array(made[..<length]))
  }
}

/// Strings as C has them; null for nil.
private func withStrings<R>(_ strings: [String?], _ body: ([UnsafePointer<CChar>?]) -> R) -> R {
  let copies = strings.map { $0.map { strdup($0) } ?? nil }
  defer { for copy in copies { free(copy) } }
  return body(copies.map { $0.map { UnsafePointer($0) } })
}
