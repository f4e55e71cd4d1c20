import SegueBus
import SegueCore
import SegueEngine
import Testing

@testable import SegueDaemon

/// The signals of continuations to user interfaces, and their time.
@Suite struct SignalServiceTests {
  private let loop: EventLoop
  private let service: SignalService
  private let told = Told()
  private let first = Identifier(high: 0, low: 1), second = Identifier(high: 0, low: 2)

  private final class Told { var signals: [Effect.Signal] = [] }

  init() throws {
    loop = try EventLoop()
    service = SignalService(loop)
    service.emit = { [told] in told.signals += $0 }
  }

  private func add(_ id: Identifier, _ state: ContinuationState) {
    service.add(.continuationChanged(id, state))
    service.tell()
  }

  @Test func aStateThatPassesIsNotTold() {
    add(first, .launching)
    add(first, .begun)
    add(first, .continued)
    #expect(told.signals == [.continuationChanged(first, .continued)])
    // It does not come later either.
    var isOver = false
    loop.timer(after: Limits.passingStateTime + 1) { isOver = true }
    while !isOver { _ = loop.wait(milliseconds: -1) }
    #expect(told.signals == [.continuationChanged(first, .continued)])
  }

  @Test func aStateThatLastsIsTold() {
    add(first, .launching)
    add(second, .launching)
    add(second, .begun)
    #expect(told.signals.isEmpty)
    while told.signals.isEmpty { _ = loop.wait(milliseconds: -1) }
    #expect(
      told.signals == [
        .continuationChanged(first, .launching), .continuationChanged(second, .launching),
        .continuationChanged(second, .begun),
      ])
    add(first, .failed)
    #expect(told.signals.last == .continuationChanged(first, .failed))
    #expect(told.signals.count == 4)
  }

  @Test func otherSignalsAreToldOnceAndAtOnce() {
    service.add(.offersChanged)
    service.add(.devicesChanged)
    service.add(.offersChanged)
    #expect(told.signals.isEmpty)
    service.tell()
    #expect(told.signals == [.offersChanged, .devicesChanged])
    service.tell()
    #expect(told.signals.count == 2)
  }

  @Test(arguments: [ContinuationState.waiting, .notResponding]) func whatThePersonWaitsForIsToldAtOnce(
    _ state: ContinuationState
  ) {
    add(second, .launching)
    add(first, .launching)
    add(first, state)
    #expect(told.signals == [.continuationChanged(first, .launching), .continuationChanged(first, state)])
  }
}
