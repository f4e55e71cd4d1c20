import SegueABI
import SegueCore
import SegueRuntime

/// Makes an object of a plugin, and has it save and restore.
final class ObjectTrial {
  private let description: PluginObjectDescription
  private let plugin: Plugin
  private let activity: Activity
  private let report: Report
  /// Of the properties, as C has them.
  private let keys: [CText]

  init(of description: PluginObjectDescription, _ plugin: Plugin, _ activity: Activity, _ report: Report) {
    self.description = description
    self.plugin = plugin
    self.activity = activity
    self.report = report
    keys = description.properties.map { CText($0.key) }
  }

  func run() {
    let id = description.id
    let errors = report.errors
    var methods = PluginObjectMethods()
    methods.didFail = { [report] _, _, error in report.error(error.message, advice: Self.advice(error)) }
    do throws(SegueError) {
      report.enter("create of \(id)")
      let object = try PluginObject(plugin, id: id, keyPrefix: "", methods: methods)
      let held = get(object)
      set(object, held)
      report.enter("the saving of \(id)")
      object.update(byHand: activity)
      let isTried = isWhole(held)
      if isTried {
        report.enter("the restoring of \(id)")
        object.restore(from: activity)
        compare(held, get(object))
      }
      report.enter("what \(id) has deferred")
      _ = plugin.application.dispatch()
      report.enter("destroy of \(id)")
      object.drop()
      _ = plugin.application.dispatch()
      let count = description.properties.count
      if isTried, report.errors == errors {
        report.note("\(id) saves and restores: \(count) \(count == 1 ? "property" : "properties")")
      }
    } catch {
      report.error(error.message, advice: Self.advice(error))
    }
  }

  /// Whether an object that holds this is saved at all.
  private func isWhole(_ held: [Value?]) -> Bool {
    for (property, value) in zip(description.properties, held) where property.isRequired {
      // Its getter has failed, which was told; or it has none.
      guard let value else { return false }
      if case .null = value {
        report.note(
          "\(description.id) holds no \(property.key) when it is made, which is required: its restoring was not tried")
        return false
      }
    }
    return true
  }

  /// What each getter gives; nil where there is none, or it failed.
  private func get(_ object: PluginObject) -> [Value?] {
    zip(description.properties, keys).map { property, key in
      report.enter("the getter of \(description.id)/\(property.key)")
      do throws(SegueError) {
        let value = try object.get(key.pointer)
        if let objection = property.type.objection(to: value) {
          report.error("\(description.id)/\(property.key): the getter's result: \(objection)", advice: Self.types)
          return nil
        }
        return value
      } catch {
        // Without a getter it is not saved.
        if error.code != .accessDenied { report.error(error.message, advice: Self.advice(error)) }
        return nil
      }
    }
  }

  /// Each setter by itself, so that one that crashes has a name.
  private func set(_ object: PluginObject, _ values: [Value?]) {
    for ((property, key), value) in zip(zip(description.properties, keys), values) {
      guard let value else { continue }
      report.enter("the setter of \(description.id)/\(property.key)")
      do throws(SegueError) {
        try object.set(key.pointer, to: value)
      } catch {
        // Without a setter it is not restored, or with others.
        if error.code != .accessDenied { report.error(error.message, advice: Self.advice(error)) }
      }
    }
  }

  /// What an object has restored from its own state is its state again.
  private func compare(_ before: [Value?], _ after: [Value?]) {
    for ((property, before), after) in zip(zip(description.properties, before), after) {
      guard let before, let after, before != after else { continue }
      report.error(
        "\(description.id)/\(property.key) is another one after it was restored from what its getter gave",
        advice: "A getter gives what its setter was given.")
    }
  }

  private static let types = "segue/plugin.h tells under Types what a function returns."

  private static func advice(_ error: SegueError) -> String {
    error.hasOwnAdvice ? error.advice : "segue/plugin.h tells under \"In a call\" what a function returns."
  }
}
