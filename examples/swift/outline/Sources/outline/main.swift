// An outline that moves between devices: docs/swift.md.
do {
  try Terminal().run()
} catch {
  Terminal.say("error: \(error)")
}
