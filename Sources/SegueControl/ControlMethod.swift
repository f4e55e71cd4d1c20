import SegueBus

/// The methods of org.segue.Control1, with the names and signatures of their arguments. The file
/// data/dbus-1/interfaces/org.segue.Control1.xml says what they do.
public enum ControlMethod: String, CaseIterable, Sendable {
  case getStatus = "GetStatus"
  case listOffers = "ListOffers"
  case listStored = "ListStored"
  case listActivities = "ListActivities"
  case `continue` = "Continue"
  case explain = "Explain"
  case getLast = "GetLast"
  case checkApplication = "CheckApplication"
  case setDefault = "SetDefault"
  case getDefaults = "GetDefaults"
  case openLink = "OpenLink"
  case listLinks = "ListLinks"
  case keepLinks = "KeepLinks"
  case listDevices = "ListDevices"
  case setPause = "SetPause"
  case setPauseHere = "SetPauseHere"
  case withholdApplication = "WithholdApplication"
  case withholdFromDevice = "WithholdFromDevice"
  case addDevice = "AddDevice"
  case renameDevice = "RenameDevice"
  case removeDevice = "RemoveDevice"
  case setReceiving = "SetReceiving"
  case send = "Send"
  case listPhones = "ListPhones"
  case listTexts = "ListTexts"
  case pair = "Pair"
  case renewPairing = "RenewPairing"
  case typeDigits = "TypeDigits"
  case confirmPairing = "ConfirmPairing"
  case endPairing = "EndPairing"
  case getPairing = "GetPairing"
  case listContinuations = "ListContinuations"
  case cancelContinuation = "CancelContinuation"
  case listTransfers = "ListTransfers"
  case stopTransfer = "StopTransfer"
  case introduce = "Introduce"
  case listIntroductions = "ListIntroductions"
  case acceptIntroduction = "AcceptIntroduction"
  case declineIntroduction = "DeclineIntroduction"

  public var input: [BusArgument] {
    switch self {
    case .continue: [BusArgument("offer", "s"), BusArgument("options", "a{sv}")]
    case .explain: [BusArgument("subject", "s")]
    case .checkApplication: [BusArgument("file", "s")]
    case .setDefault: [BusArgument("type", "s"), BusArgument("app", "s")]
    case .openLink: [BusArgument("url", "s"), BusArgument("options", "a{sv}")]
    case .keepLinks: [BusArgument("domain", "s"), BusArgument("kept", "b")]
    case .setPause: [BusArgument("paused", "b"), BusArgument("until", "t")]
    case .setPauseHere: [BusArgument("paused", "b")]
    case .withholdApplication: [BusArgument("app", "s"), BusArgument("withheld", "b")]
    case .withholdFromDevice: [BusArgument("device", "s"), BusArgument("withheld", "b")]
    case .addDevice: [BusArgument("id", "s"), BusArgument("name", "s"), BusArgument("addresses", "as")]
    case .renameDevice: [BusArgument("id", "s"), BusArgument("name", "s")]
    case .removeDevice: [BusArgument("id", "s")]
    case .setReceiving: [BusArgument("id", "s"), BusArgument("rule", "s")]
    case .send: [BusArgument("device", "s"), BusArgument("options", "a{sv}")]
    case .listPhones, .listTexts: []
    case .pair: [BusArgument("options", "a{sv}")]
    case .typeDigits: [BusArgument("digits", "s")]
    case .confirmPairing: [BusArgument("accepted", "b")]
    case .cancelContinuation: [BusArgument("continuation", "s")]
    case .stopTransfer: [BusArgument("id", "s")]
    case .listContinuations, .listTransfers: []
    case .introduce: [BusArgument("device", "s"), BusArgument("to", "s")]
    case .acceptIntroduction, .declineIntroduction: [BusArgument("id", "s")]
    case .renewPairing, .endPairing, .getPairing, .listIntroductions: []
    case .getStatus, .listOffers, .listStored, .listActivities, .getLast, .getDefaults, .listDevices, .listLinks: []
    }
  }

  public var output: [BusArgument] {
    switch self {
    case .getStatus: [BusArgument("status", "a{sv}")]
    case .listOffers: [BusArgument("offers", "aa{sv}")]
    case .listStored: [BusArgument("copies", "aa{sv}")]
    case .listActivities: [BusArgument("activities", "aa{sv}")]
    case .continue: [BusArgument("continuation", "s")]
    case .explain: [BusArgument("rows", "aa{sv}")]
    case .getLast: [BusArgument("continuation", "a{sv}")]
    case .checkApplication: [BusArgument("findings", "aa{sv}")]
    case .getDefaults: [BusArgument("defaults", "a{ss}")]
    case .openLink: [BusArgument("app", "s")]
    case .listLinks: [BusArgument("links", "aa{sv}")]
    case .listDevices: [BusArgument("devices", "aa{sv}")]
    case .getPairing: [BusArgument("pairing", "a{sv}")]
    case .listTexts: [BusArgument("texts", "aa{sv}")]
    case .listPhones: [BusArgument("phones", "aa{sv}")]
    case .setReceiving, .send: []
    case .listIntroductions: [BusArgument("introductions", "aa{sv}")]
    case .listContinuations: [BusArgument("continuations", "aa{sv}")]
    case .listTransfers: [BusArgument("transfers", "aa{sv}")]
    case .cancelContinuation, .stopTransfer: []
    case .introduce, .acceptIntroduction, .declineIntroduction, .keepLinks: []
    case .setPause, .setPauseHere, .withholdApplication, .withholdFromDevice: []
    case .setDefault, .addDevice, .renameDevice, .removeDevice, .pair, .renewPairing, .typeDigits, .confirmPairing,
      .endPairing:
      []
    }
  }
}
