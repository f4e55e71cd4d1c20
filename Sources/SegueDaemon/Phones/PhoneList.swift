import SegueBus
import SegueControl
import SegueCore

/// The phones that a program's answer names: those that are paired with it and in reach.
enum PhoneList {
  /// KDE Connect's `deviceNames`, `a{ss}`: ids and names. It was asked for paired and reachable ones alone.
  static func names(_ answer: BusValue?) -> [PhoneRow] {
    guard case .array("{ss}", let entries)? = answer else { return [] }
    let phones = entries.prefix(Limits.phones).compactMap { entry -> PhoneRow? in
      guard case .structure(let pair) = entry, pair.count == 2, let id = pair[0].asString, let name = pair[1].asString
      else { return nil }
      return row(.kdeConnect, id, name)
    }
    return sorted(phones)
  }

  /// An answer of `GetManagedObjects`, `a{oa{sa{sv}}}`, of a program whose devices have this interface; each with its
  /// object's path.
  static func objects(
    _ answer: BusValue?, of program: PhoneProgram, interface: String
  ) -> [(phone: PhoneRow, path: ObjectPath)] {
    guard let entries = answer?.asArray else { return [] }
    var phones: [(phone: PhoneRow, path: ObjectPath)] = []
    for entry in entries.prefix(Limits.phoneObjects) {
      guard phones.count < Limits.phones, case .structure(let pair) = entry, pair.count == 2,
        let path = pair[0].asObjectPath, let properties = properties(interface, pair[1]), isReached(properties),
        let id = properties["Id"]?.asString, let name = properties["Name"]?.asString, let row = row(program, id, name)
      else { continue }
      phones.append((row, path))
    }
    return phones
  }

  private static func properties(_ interface: String, _ value: BusValue) -> BusDictionary? {
    for entry in value.asArray ?? [] {
      guard case .structure(let pair) = entry, pair.count == 2, pair[0].asString?.isSame(as: interface) ?? false else {
        continue
      }
      return pair[1].asDictionary
    }
    return nil
  }

  /// Valent has a word of bits: 1 connected, 2 paired. Older versions of it, and GSConnect, have two properties.
  private static func isReached(_ properties: BusDictionary) -> Bool {
    if let state = properties["State"]?.asUInt32 { return state & 3 == 3 }
    return properties["Connected"]?.asBool ?? false && properties["Paired"]?.asBool ?? false
  }

  /// The name is another device's word.
  private static func row(_ program: PhoneProgram, _ id: String, _ name: String) -> PhoneRow? {
    guard let id = PhoneID(program, id) else { return nil }
    let name = DisplayText.clean(name, maximum: Limits.shownName)
    return PhoneRow(id, name: name.isEmpty ? id.phone : name)
  }

  static func sorted(_ phones: [PhoneRow]) -> [PhoneRow] {
    phones.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
  }
}
