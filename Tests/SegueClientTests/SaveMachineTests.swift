import SegueClient
import SegueCore
import Testing

@Suite struct SaveMachineTests {
  typealias Machine = SaveMachine<Int>

  private func effects(_ events: [Machine.Event]) -> [[Machine.Effect]] {
    var machine = Machine()
    return events.map { machine.handle($0) }
  }

  @Test func S1_manySetsAreOneRound() {
    let sets = [Machine.Event](repeating: .needsSave(true), count: 100)
    #expect(
      effects(sets + [.requested(1), .roundEnded, .requested(2)]).suffix(3) == [
        [.runRound], [.answer([1])], [.answer([2])],
      ])
  }

  @Test func S2_clearedBeforeTheRound() {
    var machine = Machine()
    _ = machine.handle(.needsSave(true))
    #expect(machine.needsSave)
    #expect(machine.handle(.requested(1)) == [.runRound])
    #expect(!machine.needsSave)
    #expect(machine.isRunning)
  }

  @Test func S3_setInACallbackItSurvives() {
    #expect(
      effects([.needsSave(true), .requested(1), .needsSave(true), .roundEnded, .requested(2), .roundEnded]) == [
        [], [.runRound], [], [.answer([1])], [.runRound], [.answer([2])],
      ])
  }

  @Test func S9_requestsInARoundShareIt() {
    #expect(
      effects([.needsSave(true), .requested(1), .requested(2), .needsSave(true), .requested(3), .roundEnded]) == [
        [], [.runRound], [], [], [], [.answer([1, 2, 3])],
      ])
  }

  @Test func S11_withoutNeedTheAnswerComesAtOnce() {
    #expect(
      effects([.requested(1), .needsSave(true), .needsSave(false), .requested(2)]) == [
        [.answer([1])], [], [], [.answer([2])],
      ])
    #expect(effects([.roundEnded]) == [[]])
  }
}
