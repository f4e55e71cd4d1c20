let plugin = Plugin(name: "@PLUGIN_NAME@", version: "1.0", objects: [.of(Counter.self)])

/// The object. Put your data here; another kind of object is another class.
final class Counter: PluginObject {
  static var id: StaticString { "counter" }
  static var name: StaticString { "A counter" }

  /// What is saved and restored, and how. Begin the keys with a word of your own: other plugins may serve the same activity.
  static var properties: [Property<Counter>] {
    [
      .integer(
        "counter.count", required: true, get: { $0.count },
        set: { (counter, count) throws(Failure) in try counter.setCount(count) }),
      .optionalText("counter.label", get: { $0.label }, set: { $0.label = $1 }),
    ]
  }

  private let host: Host
  private var count = 0
  /// Of which things.
  private var label: String?

  init(host: Host) { self.host = host }

  /// A setter throws for a value that the object does not take.
  private func setCount(_ count: Int) throws(Failure) {
    guard count >= 0 else { throw .outOfRange }
    self.count = count
  }

  /// What no property can say: here, that the activity is called as what is counted.
  func save(to activity: Activity) throws(Failure) {
    if let label { try activity.setTitle(label) }
  }
}
