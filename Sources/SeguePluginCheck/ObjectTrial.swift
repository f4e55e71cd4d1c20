import SegueABI
import SegueCore
import SegueRuntime

/// Makes an object of a plugin, sets samples and reads them back, and has it save and restore.
final class ObjectTrial {
  private let description: PluginObjectDescription
  private let plugin: Plugin
  private let activity: Activity
  private let report: Report
  /// The properties' keys, as C has them.
  private let keys: [CText]

  init(of description: PluginObjectDescription, _ plugin: Plugin, _ activity: Activity, _ report: Report) {
    self.description = description
    self.plugin = plugin
    self.activity = activity
    self.report = report
    keys = description.properties.map { CText($0.key) }
  }

  func run() {
    let errors = report.errors
    do throws(SegueError) {
      let object = try make()
      checkRequired(object)
      let held = get(object)
      set(object, held)
      setTogether(object)
      let trials = trySamples(object, from: held)
      setAll(object, trials.map { $0?.kept.first { $0 != .null } })
      let saved = get(object)
      report.enter("the saving of \(description.id)")
      _ = object.update(byHand: activity)
      let isTried = isWhole(saved)
      if isTried { try restore(object, saved, trials) }
      report.enter("what \(description.id) has deferred")
      _ = plugin.application.dispatch()
      drop(object)
      let count = description.properties.count
      if isTried, report.errors == errors {
        report.note("\(description.id) saves and restores: \(count) \(count == 1 ? "property" : "properties")")
      }
    } catch {
      report.error(error.message, advice: Self.advice(error))
    }
  }

  private func make() throws(SegueError) -> PluginObject {
    report.enter("create of \(description.id)")
    var methods = PluginObjectMethods()
    methods.didFail = { [report] _, _, error in report.error(error.message, advice: Self.advice(error)) }
    return try PluginObject(plugin, id: description.id, keyPrefix: "", methods: methods)
  }

  private func drop(_ object: PluginObject) {
    report.enter("destroy of \(description.id)")
    object.drop()
    _ = plugin.application.dispatch()
  }

  /// Reports required properties that nothing sets: they could not be restored, so no application could use the object.
  private func checkRequired(_ object: PluginObject) {
    for (property, key) in zip(description.properties, keys) where property.isRequired {
      guard !object.isSettable(key.pointer) else { continue }
      report.error(
        "\(name(property)) is required, and nothing sets it: it has no setter, and the restore function does not take it",
        advice: "Give it a setter, or let the restore function take it; or do without REQUIRED.")
    }
  }

  /// Whether an object that holds this is saved at all.
  private func isWhole(_ held: [Value?]) -> Bool {
    for (property, value) in zip(description.properties, held) where property.isRequired {
      // Its getter has failed, which was reported; or it has none.
      guard let value else { return false }
      if case .null = value {
        report.note("\(description.id) holds no \(property.key), which is required: its restoring was not tried")
        return false
      }
    }
    return true
  }

  // MARK: Getting

  /// The values that the getters return; nil where there is no getter, or it failed.
  private func get(_ object: PluginObject) -> [Value?] { description.properties.indices.map { get(object, $0) } }

  private func get(_ object: PluginObject, _ place: Int) -> Value? {
    let property = description.properties[place]
    guard object.isReadable(keys[place].pointer) else { return nil }
    report.enter("the getter of \(name(property))")
    do throws(SegueError) {
      let value = try object.get(keys[place].pointer)
      if let objection = property.type.objection(to: value) {
        report.error("\(name(property)): the getter's result: \(objection)", advice: Self.types)
        return nil
      }
      return value
    } catch {
      report.error(error.message, advice: Self.advice(error))
      return nil
    }
  }

  // MARK: Setting

  /// Calls each setter by itself, so that a crash names it. A setter must take the value that its getter returned; the
  /// restore function's values are left out, since they may be absent so far.
  private func set(_ object: PluginObject, _ values: [Value?]) {
    for (place, value) in values.enumerated() {
      guard let value, !description.restored.contains(place), let error = set(object, place, value) else { continue }
      report.error(error.message, advice: Self.advice(error))
    }
  }

  /// Values for the properties; which of them are refused now does not matter.
  private func setAll(_ object: PluginObject, _ values: [Value?]) {
    for (place, value) in values.enumerated() {
      if let value, isMeant(value, at: place) { _ = set(object, place, value) }
    }
  }

  /// Whether the restore function may get it: it never gets null for what is required.
  private func isMeant(_ value: Value, at place: Int) -> Bool {
    value != .null || !description.properties[place].isRequired || !description.restored.contains(place)
  }

  /// The error of a refused value; nil if it was taken, or if nothing sets the property.
  private func set(_ object: PluginObject, _ place: Int, _ value: Value) -> SegueError? {
    guard object.isSettable(keys[place].pointer) else { return nil }
    let isRestored = description.restored.contains(place)
    report.enter(
      isRestored ? "the restore function of \(description.id)" : "the setter of \(name(description.properties[place]))")
    do throws(SegueError) {
      try object.set(keys[place].pointer, to: value)
      return nil
    } catch {
      return error
    }
  }

  /// Calls the restore function with samples of all its parameters, until it takes some.
  private func setTogether(_ object: PluginObject) {
    guard !description.restored.isEmpty else { return }
    let samples = description.restored.map { Samples.of(description.properties[$0].type) }
    report.enter("the restore function of \(description.id)")
    for round in 0..<(samples.map { $0.count }.max() ?? 0) {
      var entries: [Value: Value] = [:]
      for (place, values) in zip(description.restored, samples) where !values.isEmpty {
        entries[.string(description.properties[place].key)] = values[round % values.count]
      }
      do throws(SegueError) { return try object.set(entries) } catch { continue }
    }
    report.note("the restore function of \(description.id) has taken none of the samples")
  }

  /// Sets each property to its samples and its default, and reads it back; nil for a property that cannot be tried.
  private func trySamples(_ object: PluginObject, from held: [Value?]) -> [PropertyTrial?] {
    description.properties.enumerated().map { place, property in
      let key = keys[place].pointer
      guard object.isSettable(key), object.isReadable(key), held[place] != nil else { return nil }
      var trial = PropertyTrial(property)
      for value in Samples.of(property.type) where isMeant(value, at: place) {
        guard let before = get(object, place), set(object, place, value) == nil else { continue }
        guard let after = get(object, place) else { return nil }
        trial.took(value, before: before, after: after)
      }
      let isOpen = !description.restored.contains(place) || !trial.kept.isEmpty
      if isOpen, let value = property.defaultValue, let error = set(object, place, value) {
        report.error("its default is refused: \(error.message)", advice: "A default is what an object may hold.")
      }
      if let (sentence, advice) = trial.objection {
        report.error("\(description.id)/\(sentence)", advice: advice)
      } else if let remark = trial.remark {
        report.note("\(description.id)/\(remark)")
      }
      return trial
    }
  }

  // MARK: Restoring

  /// Restores from the saved state: the object itself, which holds other values by then, and another object.
  private func restore(
    _ object: PluginObject, _ saved: [Value?], _ trials: [PropertyTrial?]
  ) throws(SegueError) {
    setAll(
      object,
      zip(trials, saved).map { trial, saved in trial?.kept.last { $0 != saved } })
    report.enter("the restoring of \(description.id)")
    if object.restore(from: activity) == nil { compare(saved, object, "") }
    let other = try make()
    report.enter("the restoring of \(description.id)")
    if other.restore(from: activity) == nil { compare(saved, other, " in another object") }
    drop(other)
  }

  private func compare(_ before: [Value?], _ object: PluginObject, _ place: String) {
    for ((property, key), (before, after)) in zip(zip(description.properties, keys), zip(before, get(object))) {
      guard object.isSettable(key.pointer), let before, let after, !before.isHeld(as: after, of: property.type) else {
        continue
      }
      report.error(
        "\(name(property)) is another one after it was restored\(place): \(before.shown) was saved, and "
          + "\(after.shown) is there", advice: "Restoring sets what its getter gave when it was saved.")
    }
  }

  // MARK: Words

  private func name(_ property: PluginProperty) -> String { "\(description.id)/\(property.key)" }

  private static let types = "segue/plugin.h tells under Types what a function returns."

  private static func advice(_ error: SegueError) -> String {
    error.hasOwnAdvice ? error.advice : "segue/plugin.h tells under \"In a call\" what a function returns."
  }
}
