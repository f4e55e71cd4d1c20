// Checks that the targets share.

import SegueCore

/// Ends the process where something does not hold; libFuzzer then keeps the input.
func check(_ holds: Bool, _ what: @autoclosure () -> String) {
  if !holds { fatalError(what()) }
}

/// Whether two texts have the same bytes. Swift's own equality takes "é" in one and in two scalars for equal.
func isSame(_ left: String, _ right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }

/// A sentence that is shown stays on its line, whatever was in the input.
func checkShown(_ text: String) {
  // Most sentences are ASCII, and Unicode's tables are slow.
  guard !text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else { return }
  for scalar in text.unicodeScalars {
    let properties = scalar.properties
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: fatalError("a control character in: \(text.debugDescription)")
    default: check(!properties.isBidiControl, "a mark that turns the direction in: \(text.debugDescription)")
    }
  }
}

func checkShown(_ error: SegueError) {
  check(!error.message.isEmpty, "an error without a message")
  checkShown(error.message)
  checkShown(error.advice)
}
