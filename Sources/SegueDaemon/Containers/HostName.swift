import SegueCore

/// Names of hosts beyond ASCII, as DNS has them: each such label in Punycode, behind `xn--` (RFC 3492).
enum HostName {
  /// The address with its host in ASCII; an address without a host, and all parts but the host, stay as they are. The
  /// labels must be prepared: in normal form, as parsers of such addresses write them.
  static func inASCII(_ address: String) -> String {
    guard let start = address.utf8.firstIndex(of: UInt8(ascii: ":")), address[start...].begins(with: "://") else {
      return address
    }
    let host = address.utf8.index(start, offsetBy: 3)
    let ends = "/?#".unicodeScalars
    let end = address.unicodeScalars[host...].firstIndex { ends.contains($0) } ?? address.endIndex
    let labels = String(address[host..<end]).parts(at: ".", omittingEmpty: false).map { label in
      label.utf8.allSatisfy { $0 < 0x80 } ? label : "xn--" + punycode(label.lowercased())
    }
    return String(address[..<host]) + labels.joined(separator: ".") + String(address[end...])
  }

  // RFC 3492, section 5.
  private static let (base, least, most, skew, damp, firstBias, firstCode) = (36, 1, 26, 38, 700, 72, 128)

  private static func punycode(_ label: String) -> String {
    let codes = label.unicodeScalars.prefix(Limits.nameLength).map { Int($0.value) }
    let basic = codes.filter { $0 < firstCode }
    var output = String(String.UnicodeScalarView(basic.compactMap { Unicode.Scalar($0) }))
    if !basic.isEmpty { output += "-" }
    var (code, delta, bias, handled) = (firstCode, 0, firstBias, basic.count)
    while handled < codes.count, let next = codes.filter({ $0 >= code }).min() {
      delta += (next - code) * (handled + 1)
      code = next
      for other in codes {
        if other < code { delta += 1 }
        guard other == code else { continue }
        append(delta, bias, to: &output)
        bias = adapted(delta, isFirst: handled == basic.count, count: handled + 1)
        delta = 0
        handled += 1
      }
      delta += 1
      code += 1
    }
    return output
  }

  private static func append(_ delta: Int, _ bias: Int, to output: inout String) {
    var (rest, place) = (delta, base)
    while true {
      let threshold = min(max(place - bias, least), most)
      guard rest >= threshold else { break }
      output.unicodeScalars.append(digit(threshold + (rest - threshold) % (base - threshold)))
      rest = (rest - threshold) / (base - threshold)
      place += base
    }
    output.unicodeScalars.append(digit(rest))
  }

  private static func adapted(_ delta: Int, isFirst: Bool, count: Int) -> Int {
    var delta = isFirst ? delta / damp : delta / 2
    delta += delta / count
    var place = 0
    while delta > (base - least) * most / 2 {
      delta /= base - least
      place += base
    }
    return place + (base - least + 1) * delta / (delta + skew)
  }

  private static func digit(_ value: Int) -> Unicode.Scalar {
    Unicode.Scalar(UInt8(value < 26 ? value + 97 : value - 26 + 48))
  }
}
