import CLinux
import Glibc
import SegueBus
import SegueCore
import SegueEngine
import SegueState
import SegueWeb

/// Fetches domains' association files, each in a process of its own that ends with the fetch, and remembers their
/// content in the user's cache directory.
///
/// segue-associations has the HTTP client and the checker of signatures, so that neither is in this process. Its report
/// is parsed here as untrusted input.
final class AssociationService {
  private final class Fetch {
    let pid: pid_t
    let process: FileDescriptor
    let output: FileDescriptor
    var bytes: [UInt8] = []
    var watches: [LoopWatch] = []
    var timer: LoopTimer?

    init(pid: pid_t, process: FileDescriptor, output: FileDescriptor) {
      self.pid = pid
      self.process = process
      self.output = output
    }
  }

  private let program: String
  private let folder: String
  private let loop: EventLoop
  private let disk: DiskWriter
  private let log: Log
  private var fetches: [DomainName: Fetch] = [:]

  /// `folder`: the cache.
  init(program: String, folder: String, disk: DiskWriter, loop: EventLoop, log: Log) {
    self.program = program
    self.folder = folder
    self.disk = disk
    self.loop = loop
    self.log = log
  }

  /// Where the program is installed: beside the daemon.
  static var installed: String {
    (ProgramPath.current()?.folder ?? "") + "/" + ProgramName.associations.rawValue
  }

  // MARK: Fetching

  /// `done` is called once, in a dispatch, unless the service is closed before.
  func fetch(_ domain: DomainName, _ done: @escaping (AssociationAnswer) -> Void) {
    guard fetches[domain] == nil else { return }
    do throws(SegueError) {
      fetches[domain] = try start(domain, done)
    } catch {
      loop.later { done(.unreachable("\(error.message)")) }
    }
  }

  private func start(
    _ domain: DomainName, _ done: @escaping (AssociationAnswer) -> Void
  ) throws(SegueError) -> Fetch {
    var ends: [Int32] = [-1, -1]
    guard segue_pipe(&ends) == 0 else { throw Self.failure(errno) }
    let (output, input) = (FileDescriptor(owning: ends[0]), FileDescriptor(owning: ends[1]))
    var pid: pid_t = 0
    let arguments = [program, "fetch", domain.string].map { $0.withCString { strdup($0) } }
    // The child's environment has only these, which the daemon's own may have for tests: no proxy, no preloaded
    // library.
    let variables = ["SEGUE_ASSOCIATIONS_ROOTS", "SEGUE_ASSOCIATIONS_SERVER"].compactMap { name in
      environment(name).map { "\(name)=\($0)".withCString { strdup($0) } }
    }
    defer { for text in arguments + variables { free(text) } }
    let process = segue_spawn_piped(arguments + [nil], variables + [nil], -1, input.raw, &pid)
    guard process >= 0 else { throw Self.failure(-process) }
    let fetch = Fetch(pid: pid, process: FileDescriptor(owning: process), output: output)
    _ = segue_fcntl(output.raw, F_SETFL, O_NONBLOCK)
    fetch.timer = loop.timer(after: Limits.associationTime + Limits.answerMargin) { kill(-fetch.pid, SIGKILL) }
    do throws(SegueError) {
      fetch.watches = [
        try loop.watch(output.raw, .readable) { _ in Self.read(fetch) },
        try loop.watch(process, .readable) { [self] _ in
          end(fetch, domain)
          let report = AssociationReport(fetch.bytes)
          let answer = report?.answer ?? .unreachable("The program that fetches it has failed.")
          keepPatterns(of: domain, answer, report?.content ?? []) { done(answer) }
        },
      ]
    } catch {
      stop(fetch)
      throw error
    }
    return fetch
  }

  /// Reads the output that is there. Output beyond a report's maximum is thrown away, and makes the report invalid.
  private static func read(_ fetch: Fetch) {
    var part = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
      let count = Glibc.read(fetch.output.raw, &part, part.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        if count == 0 { fetch.watches.first?.cancel() }
        return
      }
      fetch.bytes += part[..<min(count, max(0, AssociationReport.maximum + 1 - fetch.bytes.count))]
    }
  }

  private func end(_ fetch: Fetch, _ domain: DomainName) {
    Self.read(fetch)
    stop(fetch)
    fetches[domain] = nil
  }

  private func stop(_ fetch: Fetch) {
    for watch in fetch.watches { watch.cancel() }
    fetch.timer?.cancel()
    // It has ended, or ends by this.
    kill(-fetch.pid, SIGKILL)
    var status: Int32 = 0
    while waitpid(fetch.pid, &status, 0) < 0, errno == EINTR {}
  }

  func close() {
    for fetch in fetches.values { stop(fetch) }
    fetches = [:]
  }

  private static func failure(_ code: Int32) -> SegueError {
    SegueError(.system, "The program that fetches it cannot be started: \(String(cString: strerror(code))).")
  }

  // MARK: The cache

  private static let group = "Domain"

  /// The remembered files. A file that is not understood is left out.
  func load() -> [StoredAssociation] {
    File.names(in: folder).prefix(Limits.domains).compactMap { name in
      guard let domain = DomainName(name), let bytes = (try? File.read(folder + "/" + name)) ?? nil else { return nil }
      return try? Self.stored(domain, bytes)
    }
  }

  static func stored(_ domain: DomainName, _ bytes: [UInt8]) throws(SegueError) -> StoredAssociation {
    let file = try KeyFile(bytes)
    func number(_ key: String) throws(SegueError) -> UInt64 {
      guard let number = try file.integer(group, key), number >= 0 else {
        throw SegueError(.invalidArgument, "\(key) is missing.")
      }
      return UInt64(number)
    }
    func applications(_ key: String) throws(SegueError) -> Set<String> {
      let names = try file.list(group, key) ?? []
      return Set(names.prefix(Limits.associationApplications).compactMap { ApplicationIdentifier($0)?.string })
    }
    let problem = try file.string(group, "Problem").map {
      DisplayText.clean($0, maximum: Limits.associationReason)
    }
    return StoredAssociation(
      domain: domain,
      grant: DomainGrant(
        applications: try applications("Applications"), linking: try applications("Linking"), problem: problem),
      answered: try number("Answered"), asked: max(try number("Asked"), 1), failures: Int(try number("Failures")))
  }

  static func bytes(_ stored: StoredAssociation) throws(SegueError) -> [UInt8] {
    var file = KeyFile()
    try file.set(group, "Asked", to: Int64(clamping: stored.asked))
    try file.set(group, "Answered", to: Int64(clamping: stored.answered))
    try file.set(group, "Failures", to: Int64(stored.failures))
    if let problem = stored.grant.problem { try file.set(group, "Problem", to: problem) }
    try file.set(group, "Applications", to: stored.grant.applications.sorted())
    if !stored.grant.linking.isEmpty { try file.set(group, "Linking", to: stored.grant.linking.sorted()) }
    return Array(file.text.utf8)
  }

  func keep(_ stored: StoredAssociation) {
    let path = folder + "/" + stored.domain.string
    disk.run({ () throws(SegueError) in
      try File.makeParents(of: path)
      try File.replace(path, try Self.bytes(stored))
    }) { [log] (result: Result<Void, SegueError>) in
      guard case .failure(let error) = result else { return }
      log.notice("\(error.message) It is asked again after a restart.", cause: "domains")
    }
  }

  func forget(_ domain: DomainName) {
    let paths = [folder + "/" + domain.string, patterns(of: domain)]
    // Behind what is still to be written there.
    disk.run({
      for path in paths { unlink(path) }
    }) { [log] result in
      guard case .failure(let error) = result else { return }
      log.notice("\(error.message) \(domain.string) is forgotten later.", cause: "domains")
    }
  }

  // MARK: Links

  /// Where a domain's file lies whole, if it has patterns for links: they are read when a link is followed, which is
  /// seldom, and take no memory until then.
  private func patterns(of domain: DomainName) -> String { folder + "/files/" + domain.string }

  /// `done` is called when they are on the disk, where there are any, or cannot be written.
  private func keepPatterns(
    of domain: DomainName, _ answer: AssociationAnswer, _ content: [UInt8], done: @escaping () -> Void
  ) {
    let linking: Set<String>
    switch answer {
    case .unreachable: return done()
    case .file(_, let applications): linking = applications
    case .refused: linking = []
    }
    let (path, hasPatterns) = (patterns(of: domain), !linking.isEmpty)
    disk.run({ () throws(SegueError) in
      guard hasPatterns else {
        unlink(path)
        return
      }
      do throws(SegueError) {
        try File.makeParents(of: path)
        try File.replace(path, content)
      } catch {
        unlink(path)
        throw error
      }
    }) { [log] (result: Result<Void, SegueError>) in
      if case .failure(let error) = result {
        log.notice("\(error.message) Links to \(domain.string) stay in the browser.", cause: "domains")
      }
      done()
    }
  }

  /// The link, with what the files of its host's domains say to those that claim it.
  func link(to url: WebURL, by openers: Set<AppID> = [], _ index: ApplicationIndex) -> WebLink {
    var link = WebLink(url, openers: openers)
    guard let host = link.host, let parts = WebLinkURL(url.string) else { return link }
    var files: [DomainName: AssociationFile] = [:]
    for (application, claim) in index.applications(claiming: host, for: .links) {
      guard let team = application.team,
        let named = ApplicationIdentifier(team + "." + application.appID.string)
      else { continue }
      let file = files[claim.domain] ?? file(of: claim.domain)
      files[claim.domain] = file
      link.verdicts[application.appID] = file?.verdict(on: parts, for: named)
    }
    return link
  }

  private func file(of domain: DomainName) -> AssociationFile? {
    guard let bytes = (try? File.read(patterns(of: domain))) ?? nil else { return nil }
    return try? AssociationFile(bytes)
  }
}
