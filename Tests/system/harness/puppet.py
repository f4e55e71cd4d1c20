"""An application that is made by hand out of bus messages: it does also what the library would never do."""

from dbus_fast import Variant

from .wire import Door


class Puppet:
    """Owns an application's name on the session bus, and is registered at the door."""

    def __init__(self, device, application, takes_launches=False):
        self.application = application
        self.bus = device.bus()
        self.door = Door(self.bus, application.id, takes_launches=takes_launches)
        self.bus.own(f"{application.id}.Segue")

    def launch_message(self, at_door=False):
        """Waits for the launch message; on the bus it is to be answered by `answer_launch`."""
        call = (self.door if at_door else self.bus).next_call()
        assert call.member == "WillContinue", call.member
        return call

    def answer_launch(self, call):
        self.bus.answer(call)

    def begin(self, ticket, **options):
        options = {key.replace("_", "-"): Variant("b", value) for key, value in options.items()}
        return self.door.tell("Begin", "sa{sv}", [ticket, options])[0]

    def announced(self, ticket, shown):
        self.door.tell("Announced", "sb", [ticket, shown])

    def claim(self, ticket):
        return self.door.tell("Claim", "s", [ticket])[0]

    def finish(self, ticket, handled=True):
        self.door.tell("Finish", "sb", [ticket, handled])

    def close(self):
        self.door.close()
        self.bus.close()
