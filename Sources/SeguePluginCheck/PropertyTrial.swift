import SegueCore

/// The trial of one property: what became of the samples that it was set to.
struct PropertyTrial {
  let property: PluginProperty
  /// The samples that the getter gave back, each once.
  private(set) var kept: [Value] = []
  /// Whether one of the samples differed from the value that the property held before.
  private var isProven = false
  /// Other samples were taken, but the getter returned another value: the first of each kind.
  private var cut: (set: Value, got: Value)?
  private var changed: (set: Value, got: Value)?
  private var ignored: (set: Value, got: Value)?
  private var isTaken = false

  init(_ property: PluginProperty) { self.property = property }

  mutating func took(_ value: Value, before: Value, after: Value) {
    isTaken = true
    if value.isHeld(as: after, of: property.type) {
      if !kept.contains(value) { kept.append(value) }
      if !value.isHeld(as: before, of: property.type) { isProven = true }
    } else if value.isCut(to: after) {
      cut = cut ?? (value, after)
    } else if before == after {
      ignored = ignored ?? (value, after)
    } else {
      changed = changed ?? (value, after)
    }
  }

  /// A fault, and what to do about it; nil: none.
  var objection: (sentence: String, advice: String)? {
    if let cut {
      return (
        "\(property.key) was set to \(cut.set.shown), and its getter gives \(cut.got.shown): a function of it has a "
          + "narrower type than \(property.type.signature)",
        "Give getter and setter the C type that segue/plugin.h lists for the signature."
      )
    }
    guard !isProven, let other = changed ?? ignored else { return nil }
    let what = changed == nil ? ", as before" : ""
    return (
      "\(property.key) was set to \(other.set.shown), and its getter gives \(other.got.shown)\(what)",
      "A getter gives what its setter was given. Both have the C type that segue/plugin.h lists for "
        + "\(property.type.signature)."
    )
  }

  /// A line that the developer may want to read.
  var remark: String? {
    guard isTaken else { return "\(property.key) has taken none of the samples: it was tried with what it held only" }
    guard let other = changed ?? ignored else { return nil }
    return "\(property.key) makes values fit: it was set to \(other.set.shown), and gives \(other.got.shown)"
  }
}
