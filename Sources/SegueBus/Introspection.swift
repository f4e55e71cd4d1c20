import SegueCore

/// Introspection data: an object's description of itself, with which the files in `data/dbus-1/interfaces` are
/// compared.
public enum Introspection {
  private static let head = """
    <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
      "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">

    """

  /// The document that holds one interface alone.
  public static func text(of interface: BusInterface) -> String { head + "<node>\n" + element(interface) + "</node>\n" }

  /// The document of an object, with the standard interfaces, and the names of the objects under it. Without object: of
  /// a path that only has others under it.
  public static func text(of object: BusObject?, children: [String] = []) -> String {
    var text = head + "<node>\n"
    if let object {
      for interface in object.interfaces { text += element(interface) }
      text += standard
    }
    for child in children { text += "  <node name=\"\(child.asMarkup)\"/>\n" }
    return text + "</node>\n"
  }

  private static func element(_ interface: BusInterface) -> String {
    var text = "  <interface name=\"\(interface.name.string)\">\n"
    for method in interface.methods {
      let arguments =
        method.input.map { argument($0, direction: "in") } + method.output.map { argument($0, direction: "out") }
      text += element("method", method.name, arguments)
    }
    for signal in interface.signals {
      text += element("signal", signal.name, signal.arguments.map { argument($0, direction: nil) })
    }
    for property in interface.properties { text += element(property) }
    return text + "  </interface>\n"
  }

  private static func element(_ kind: String, _ name: String, _ inner: [String]) -> String {
    let start = "    <\(kind) name=\"\(name.asMarkup)\""
    guard !inner.isEmpty else { return start + "/>\n" }
    var text = start + ">\n"
    for line in inner { text += line }
    return text + "    </\(kind)>\n"
  }

  private static func argument(_ argument: BusArgument, direction: String?) -> String {
    var text = "      <arg name=\"\(argument.name.asMarkup)\" type=\"\(argument.signature.asMarkup)\""
    if let direction { text += " direction=\"\(direction)\"" }
    return text + "/>\n"
  }

  private static func element(_ property: BusProperty) -> String {
    let access = property.set == nil ? "read" : "readwrite"
    let start =
      "    <property name=\"\(property.name.asMarkup)\" type=\"\(property.signature.asMarkup)\" access=\"\(access)\""
    let annotation: String
    switch property.changes {
    case .emitted: return start + "/>\n"
    case .silent: annotation = "false"
    case .constant: annotation = "const"
    }
    return start + ">\n      <annotation name=\"org.freedesktop.DBus.Property.EmitsChangedSignal\" value=\""
      + annotation + "\"/>\n    </property>\n"
  }

  private static let standard = """
      <interface name="org.freedesktop.DBus.Introspectable">
        <method name="Introspect">
          <arg name="xml_data" type="s" direction="out"/>
        </method>
      </interface>
      <interface name="org.freedesktop.DBus.Peer">
        <method name="Ping"/>
        <method name="GetMachineId">
          <arg name="machine_uuid" type="s" direction="out"/>
        </method>
      </interface>
      <interface name="org.freedesktop.DBus.Properties">
        <method name="Get">
          <arg name="interface_name" type="s" direction="in"/>
          <arg name="property_name" type="s" direction="in"/>
          <arg name="value" type="v" direction="out"/>
        </method>
        <method name="GetAll">
          <arg name="interface_name" type="s" direction="in"/>
          <arg name="properties" type="a{sv}" direction="out"/>
        </method>
        <method name="Set">
          <arg name="interface_name" type="s" direction="in"/>
          <arg name="property_name" type="s" direction="in"/>
          <arg name="value" type="v" direction="in"/>
        </method>
        <signal name="PropertiesChanged">
          <arg name="interface_name" type="s"/>
          <arg name="changed_properties" type="a{sv}"/>
          <arg name="invalidated_properties" type="as"/>
        </signal>
      </interface>

    """
}
