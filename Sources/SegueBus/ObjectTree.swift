import CDBus
import SegueCore

extension Connection {
  /// Answers calls at `path` with `object` from now on, in place of an object that was there before. The connection
  /// keeps it until its end. Does nothing on a closed connection. Loop thread.
  public func export(_ object: BusObject, at path: ObjectPath) {
    loop.checkThread()
    guard isOpen else { return }
    unexport(path)
    objects[path.string] = object
    object.wasExported(on: self, at: path)
  }

  /// Ends the answering of calls at `path`. Loop thread.
  public func unexport(_ path: ObjectPath) {
    loop.checkThread()
    objects.removeValue(forKey: path.string)?.wasUnexported(from: self, at: path.string)
  }

  /// The names of the nodes directly under a path, in order.
  private func children(of path: String) -> [String] {
    let prefix = path == "/" ? "/" : path + "/"
    var names = Set<String>()
    for (other, _) in objects where other.utf8.starts(with: prefix.utf8) && other != "/" {
      let rest = other.utf8.dropFirst(prefix.utf8.count)
      if let name = String(rest.prefix { $0 != UInt8(ascii: "/") }), !name.isEmpty { names.insert(name) }
    }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  func answer(_ call: Message) {
    let path = call.path ?? ""
    let member = call.member ?? ""
    let interface = call.interface
    guard isBus || unanswered < Limits.pendingCalls else {
      return Invocation(call, on: self, outputSignature: "").fail(
        name: BusErrorName.limitsExceeded, text: "Too many calls are not answered yet.")
    }
    if let standard = standardMethod(interface, member) { return answer(call, standard, path) }
    guard let object = objects[path] else { return refuse(call, unknownAt: path) }
    if let interface {
      guard let found = object.interface(interface) else {
        let isStandard = [Bus.propertiesInterface, Bus.introspectableInterface, Bus.peerInterface].contains(interface)
        return refuse(
          call, isStandard ? BusErrorName.unknownMethod : BusErrorName.unknownInterface,
          "There is no \(interface).\(member) at \(path).")
      }
      guard let method = found.methods.first(where: { $0.name == member }) else {
        return refuse(call, BusErrorName.unknownMethod, "There is no \(interface).\(member) at \(path).")
      }
      return run(method, call)
    }
    // A call without an interface goes to the first one that has such a method.
    for found in object.interfaces {
      if let method = found.methods.first(where: { $0.name == member }) { return run(method, call) }
    }
    refuse(call, BusErrorName.unknownMethod, "There is no method \(member) at \(path).")
  }

  private func run(_ method: BusMethod, _ call: Message) {
    let invocation = Invocation(
      call, on: self, outputSignature: method.output.reduce(into: "") { $0 += $1.signature })
    guard let arguments = arguments(of: call, method.inputSignature, invocation) else { return }
    method.handler(arguments, invocation)
  }

  /// The arguments of a call, or nil after an error answer.
  private func arguments(of call: Message, _ signature: String, _ invocation: Invocation) -> [BusValue]? {
    guard call.signature == signature else {
      invocation.fail(
        name: BusErrorName.invalidArguments,
        text: "The arguments have the signature \"\(call.signature)\" instead of \"\(signature)\".")
      return nil
    }
    do throws(SegueError) { return try call.takeArguments() } catch {
      let name = error.code == .limitExceeded ? BusErrorName.limitsExceeded : BusErrorName.invalidArguments
      invocation.fail(name: name, text: error.message)
      return nil
    }
  }

  private func refuse(_ call: Message, _ name: InterfaceName, _ text: String) {
    Invocation(call, on: self, outputSignature: "").fail(name: name, text: text)
  }

  private func refuse(_ call: Message, unknownAt path: String) {
    refuse(call, BusErrorName.unknownObject, "There is no object \(path).")
  }

  // MARK: The standard interfaces

  private enum Standard {
    case ping, machineID, introspect, get, getAll, set

    var input: String {
      switch self {
      case .ping, .machineID, .introspect: ""
      case .get: "ss"
      case .getAll: "s"
      case .set: "ssv"
      }
    }

    var output: String {
      switch self {
      case .ping, .set: ""
      case .machineID, .introspect: "s"
      case .get: "v"
      case .getAll: "a{sv}"
      }
    }
  }

  private func standardMethod(_ interface: String?, _ member: String) -> Standard? {
    switch (interface, member) {
    case (Bus.peerInterface, "Ping"): .ping
    case (Bus.peerInterface, "GetMachineId"): .machineID
    case (Bus.introspectableInterface, "Introspect"): .introspect
    case (Bus.propertiesInterface, "Get"): .get
    case (Bus.propertiesInterface, "GetAll"): .getAll
    case (Bus.propertiesInterface, "Set"): .set
    default: nil
    }
  }

  private func answer(_ call: Message, _ standard: Standard, _ path: String) {
    let invocation = Invocation(call, on: self, outputSignature: standard.output)
    guard let arguments = arguments(of: call, standard.input, invocation) else { return }
    switch standard {
    case .ping: invocation.reply()
    case .machineID:
      guard let id = dbus_try_get_local_machine_id(nil) else {
        return invocation.fail(name: BusErrorName.failed, text: "The machine has no id.")
      }
      defer { dbus_free(id) }
      invocation.reply([.string(String(cString: id))])
    case .introspect:
      let children = children(of: path)
      guard objects[path] != nil || !children.isEmpty || path == "/" else {
        return invocation.fail(name: BusErrorName.unknownObject, text: "There is no object \(path).")
      }
      invocation.reply([.string(Introspection.text(of: objects[path], children: children))])
    case .get, .getAll, .set:
      guard let object = objects[path] else {
        return invocation.fail(name: BusErrorName.unknownObject, text: "There is no object \(path).")
      }
      guard let interface = arguments.first?.asString else { return }
      if standard == .getAll { return object.getAll(interface, invocation) }
      guard arguments.count > 1, let name = arguments[1].asString else { return }
      if standard == .get { return object.get(interface, name, invocation) }
      guard arguments.count > 2, case .variant(let value) = arguments[2] else { return }
      object.set(interface, name, value, invocation)
    }
  }
}

extension BusObject {
  fileprivate func get(_ interface: String, _ name: String, _ invocation: Invocation) {
    guard let property = find(interface, name, invocation) else { return }
    invocation.reply([.variant(property.get())])
  }

  fileprivate func getAll(_ interface: String, _ invocation: Invocation) {
    let isStandard = [Bus.propertiesInterface, Bus.introspectableInterface, Bus.peerInterface].contains(interface)
    guard let found = self.interface(interface) else {
      // An empty name means every interface; the standard ones have no properties.
      guard interface.isEmpty || isStandard else {
        return invocation.fail(name: BusErrorName.unknownInterface, text: "There is no interface \(interface).")
      }
      let all = interface.isEmpty ? interfaces.flatMap { $0.properties } : []
      return invocation.reply([.dictionary(BusDictionary(all.map { ($0.name, $0.get()) }))])
    }
    invocation.reply([.dictionary(BusDictionary(found.properties.map { ($0.name, $0.get()) }))])
  }

  fileprivate func set(_ interface: String, _ name: String, _ value: BusValue, _ invocation: Invocation) {
    guard let property = find(interface, name, invocation) else { return }
    guard let set = property.set else {
      return invocation.fail(name: BusErrorName.propertyReadOnly, text: "The property \(name) cannot be written.")
    }
    guard value.signature == property.signature else {
      return invocation.fail(
        name: BusErrorName.invalidArguments, text: "The property \(name) has the signature \(property.signature).")
    }
    set(value, invocation)
  }

  private func find(_ interface: String, _ name: String, _ invocation: Invocation) -> BusProperty? {
    let candidates = interface.isEmpty ? interfaces : interfaces.filter { $0.name.string == interface }
    guard !candidates.isEmpty else {
      invocation.fail(name: BusErrorName.unknownInterface, text: "There is no interface \(interface).")
      return nil
    }
    for candidate in candidates {
      if let property = candidate.properties.first(where: { $0.name == name }) { return property }
    }
    invocation.fail(name: BusErrorName.unknownProperty, text: "There is no property \(interface).\(name).")
    return nil
  }
}
