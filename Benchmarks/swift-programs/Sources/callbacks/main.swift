import Foundation
import Segue

// The cost of a callback in Swift: as ../../../callbacks.c, which describes the output.

let samples = 50
let rounds = 10_000

@MainActor
final class State: Responder {
  let responderState = ResponderState()
  var sum = 0

  func updateUserActivityState(_ activity: UserActivity) {}
  func restoreUserActivityState(_ activity: UserActivity) { sum += activity.userInfo["line"]?.int ?? 0 }
}

let application = try Application(id: "org.segue.Bench", busAddress: "unix:path=/nonexistent")
let activity = try UserActivity(type: "org.segue.bench.state", in: application)
activity.userInfo["line"] = 1
let state = State()
for _ in 0..<samples {
  let start = DispatchTime.now().uptimeNanoseconds
  for _ in 0..<rounds { try state.restore(from: activity) }
  print("callback \(Double(DispatchTime.now().uptimeNanoseconds - start) / Double(rounds))")
}
precondition(state.sum == samples * rounds, "A round was lost.")
