"""A device's control interface, as a user interface has it: the soak does not block on any call."""

from dbus_fast import MessageType, Variant, unpack_variants

NAME = "org.segue.Control1"
DAEMON = "org.segue.Daemon1"


class Failure:
    """An error reply."""

    def __init__(self, name, text):
        self.name = name
        self.text = text

    def is_loss(self):
        """Whether there was no answer: the daemon has gone, and a new one may not have come."""
        return self.name.startswith("org.freedesktop.DBus.Error.")


class Control:
    """The interface; it calls `heard` with each signal: (member, body)."""

    def __init__(self, device, loop, heard):
        self.bus = device.bus()
        self.loop = loop
        self.heard = heard
        self.waiting = {}
        self.bus.match(f"type='signal',interface='{NAME}',member='ContinuationChanged'")
        self.bus.match(f"type='signal',member='NameOwnerChanged',arg0='{DAEMON}'")
        loop.watch(self.bus.socket, self.read)

    def ask(self, then, member, signature="", body=()):
        """Calls a method; `then` gets the reply's body, or a Failure."""
        self.waiting[self.bus.call_later(NAME, "/org/segue/Control1", NAME, member, signature, body)] = then

    def ask_bus(self, then, member, signature, body):
        bus = self.bus.NAME
        self.waiting[self.bus.call_later(bus, "/org/freedesktop/DBus", bus, member, signature, body)] = then

    def choose(self, then, offer):
        self.ask(then, "Continue", "sa{sv}", [offer, {"activation-token": Variant("s", "soak")}])

    def read(self):
        message = self.bus.receive()
        if message.message_type == MessageType.SIGNAL:
            self.heard(message.member, message.body)
        elif message.message_type in (MessageType.METHOD_RETURN, MessageType.ERROR):
            then = self.waiting.pop(message.reply_serial, None)
            if then is None:
                return
            if message.message_type == MessageType.ERROR:
                then(Failure(message.error_name, message.body[0] if message.body else ""))
            else:
                then(unpack_variants(message.body))

    def close(self):
        self.loop.unwatch(self.bus.socket)
        self.bus.close()
