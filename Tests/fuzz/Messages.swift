// The messages that devices send to each other: the first byte says of which kind the rest is.

import SegueCore

func fuzzMessage(_ bytes: [UInt8]) {
  let message = Array(bytes.dropFirst())
  switch (bytes.first ?? 0) % 4 {
  case 0: fuzzLinkMessage(message)
  case 1: fuzzFetchRequest(message)
  case 2: fuzzFetchAnswer(message)
  default:
    refused { () throws(SegueError) in _ = try ChannelRequest(message) }
  }
}

/// A refusal is a protocol violation or a limit, in a sentence that can be shown.
private func refused(_ body: () throws(SegueError) -> Void) {
  do throws(SegueError) { try body() } catch {
    check([.protocolViolation, .handoffUserInfoTooLarge].contains(error.code), "refused as \(error.code.name)")
    checkShown(error)
  }
}

/// A message that was understood can be encoded, and is then decoded as the same.
private func same<T: Equatable>(
  _ value: T, _ encode: (T) throws(SegueError) -> [UInt8], _ decode: ([UInt8]) throws(SegueError) -> T
) -> [UInt8] {
  do throws(SegueError) {
    let bytes = try encode(value)
    let again = try decode(bytes)
    check(again == value, "it is another when it is said again:\n\(value)\n\(again)")
    return bytes
  } catch {
    fatalError("what was understood cannot be said: \(error.message)\n\(value)")
  }
}

private func fuzzLinkMessage(_ bytes: [UInt8]) {
  refused { () throws(SegueError) in
    let message = try LinkMessage.decode(bytes)
    let encoded = same(message, { (message) throws(SegueError) in try message.encode() }, LinkMessage.decode)
    check(encoded.count % 256 == 0, "its length is \(encoded.count)")
    guard case .offers(_, let offers, _) = message else { return }
    check(offers.count <= Limits.offersPerDevice, "there are \(offers.count) offers")
    for offer in offers {
      checkShown(offer.title ?? "")
      checkShown(offer.webHost ?? "")
      checkShown(offer.team ?? "")
      check(offer.title?.utf8.count ?? 0 <= Limits.titleMaximum, "a title is too long")
    }
  }
}

private func fuzzFetchRequest(_ bytes: [UInt8]) {
  refused { () throws(SegueError) in
    let request = try FetchRequest.decode(bytes)
    let encoded = same(request, { (request) throws(SegueError) in try request.encode() }, FetchRequest.decode)
    check(try ChannelRequest(encoded).kind == "fetch", "a request of another kind")
  }
}

private func fuzzFetchAnswer(_ bytes: [UInt8]) {
  refused { () throws(SegueError) in
    let answer = try FetchAnswer.decode(bytes)
    switch answer {
    // The reader quotes an error's words, so that they are other words when the error is encoded again.
    case .failure(let error):
      checkShown(error.message)
      checkShown(error.advice)
    case .snapshot(let snapshot):
      _ = same(answer, { (answer) throws(SegueError) in try answer.encode() }, FetchAnswer.decode)
      checkShown(snapshot.title ?? "")
      checkShown(snapshot.targetContentIdentifier ?? "")
      check(snapshot.userInfo.count <= Limits.userInfoMaximum, "userInfo has \(snapshot.userInfo.count) bytes")
      check(snapshot.files.count <= Limits.filesPerSnapshot, "there are \(snapshot.files.count) files")
      guard case .dictionary? = try? CBOR.decode(snapshot.userInfo) else { fatalError("userInfo is not a dictionary") }
    }
  }
}
