import SegueBus
import SegueCore

extension Application {
  /// `org.freedesktop.Application` at the app id's own path, for an application without a toolkit that does it.
  func toolkitObject() -> BusObject {
    let token = { (platform: BusValue?) in platform?.asDictionary?["activation-token"]?.asString ?? "" }
    return BusObject([
      BusInterface(
        InterfaceName(constant: "org.freedesktop.Application"),
        methods: [
          BusMethod("Activate", in: [BusArgument("platform_data", "a{sv}")]) { [self] arguments, invocation in
            invocation.reply()
            delegate.activate?(self, token(arguments.first))
          },
          BusMethod("Open", in: [BusArgument("uris", "as"), BusArgument("platform_data", "a{sv}")]) {
            [self] arguments, invocation in
            invocation.reply()
            delegate.openURLs?(self, arguments.first?.asStrings ?? [], token(arguments.last))
          },
          BusMethod(
            "ActivateAction",
            in: [
              BusArgument("action_name", "s"), BusArgument("parameter", "av"), BusArgument("platform_data", "a{sv}"),
            ]
          ) { _, invocation in
            invocation.fail(SegueError(.notFound, "This application has no actions."))
          },
        ])
    ])
  }
}
