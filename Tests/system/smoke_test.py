"""The whole way once, by each of the ways in which a continuing application can be there."""


def V11_anActivityMovesToAnApplicationThatRuns(page, lap, application):
    origin, place = page
    target = place.start()
    target.do("responder view")
    command = lap.take(lap.offer(application, title="Page"))
    assert target.expect("will-continue") == [application.type, "Page", "desk"]
    kind, info = target.expect("continue")
    assert (kind, info) == (application.type, origin.info("a"))
    assert target.expect("restored view") == [info]
    assert "Continued" in command.succeeded()
    origin.expect("was-continued a")
    assert origin.count("was-continued") == 1


def V8_coldStartKeepsTheOrder(page, lap, application):
    origin, place = page
    command = lap.take(lap.offer(application))
    target = place.launched()
    target.expect("will-continue")
    target.expect("continue")
    command.succeeded()
    assert [event.split()[0] for event in target.seen if not event.startswith("state")] == ["will-continue", "continue"]
    origin.expect("was-continued a")
