import SegueCore

// The errors of a pairing, in sentences for the user. A code from the other device gets a sentence of this device.

extension PairingSession {
  static var lost: SegueError {
    SegueError(
      .connectionUnavailable, "The connection to the other device was lost before both were paired.",
      advice: "Pair again, on both devices.")
  }

  static var left: SegueError {
    SegueError(
      .connectionUnavailable, "Somebody began to pair and went away, before it was said whether the digits are equal.",
      advice: "Pair again. If it happens again, somebody may be in between: use a code, which nobody can guess: "
        + "segue pair --code")
  }

  static var noAnswer: SegueError {
    SegueError(
      .remoteApplicationTimedOut, "The other device did not answer in time.", advice: "Pair again, on both devices.")
  }

  static var intruder: SegueError {
    SegueError(
      .accessDenied, "What the other device sent does not fit together: somebody may be in between.",
      advice: "Pair again; if it happens again, use another network.")
  }

  static var wrongDigits: SegueError {
    SegueError(
      .accessDenied, "These are not the digits that the other device shows.", advice: "Pair again: it shows new ones.")
  }

  static var wrongCode: SegueError {
    SegueError(
      .accessDenied, "The other device used a code that is not this device's.", advice: "Copy the code that is shown.")
  }

  static var noCode: SegueError {
    SegueError(
      .notFound, "The other device used a code, and this device shows none, or it was used already.",
      advice: "Show a new one: segue pair --code")
  }

  static var codeOnly: SegueError {
    SegueError(
      .accessDenied, "This device shows a code, and the other device did not use it.",
      advice: "Copy the code to the other device, or pair with digits: segue pair")
  }

  static var denied: SegueError {
    SegueError(
      .userCancelled, "The pairing was ended, since the other device did not accept the digits.",
      advice: "Pair again, on both devices, and type the digits that are shown then.")
  }

  static var noSignature: SegueError { SegueError(.system, "This device's key could not sign.") }

  /// The meaning of the other device's code for this device's user.
  static func refusal(_ code: SegueError.Code) -> SegueError {
    switch code {
    case .userCancelled:
      SegueError(
        .userCancelled, "The pairing was declined or cancelled on the other device.",
        advice: "If that was not meant, pair again, on both devices.")
    case .accessDenied:
      SegueError(
        .accessDenied, "The other device did not accept the digits or the code.",
        advice: "Pair again, on both devices.")
    case .notFound:
      SegueError(
        .notFound, "The other device shows no code any more.", advice: "Show a new one there: segue pair --code")
    case .limitExceeded:
      SegueError(
        .limitExceeded, "The other device pairs with another one, has failed too often, or has no more room.",
        advice: "Wait a minute, and look at what it says.")
    case .launchTimedOut, .remoteApplicationTimedOut:
      SegueError(code, "The time to pair was over on the other device.", advice: "Pair again, on both devices.")
    default: SegueError(code, "The other device ended the pairing (\(code.name)).", advice: "Look at what it says.")
    }
  }
}
