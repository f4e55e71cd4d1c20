import SegueWeb

// The values of a node where they are of that kind.
extension JSONNode {
  subscript(key: String) -> JSONNode? {
    guard case .object(let members) = value else { return nil }
    return members.first { $0.key.isSame(as: key) }?.node
  }

  var items: [JSONNode] { if case .array(let items) = value { items } else { [] } }
  var text: String? { if case .string(let text) = value { text } else { nil } }
}
