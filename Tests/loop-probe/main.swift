import Glibc
import SegueBus

// Without arguments: a handler closes its loop in the middle of a batch, and the loop's descriptor numbers are reused
// at once. The program ends with 0 if the loop then leaves the new descriptors alone. It is a program of its own, so
// that nobody else takes a number that becomes free. With `ENTRANCE THREAD` it uses a loop there, as Entrance.swift
// says.

if CommandLine.arguments.count == 3 {
  require(try use(entrance: CommandLine.arguments[1], isElsewhere: CommandLine.arguments[2] == "elsewhere"), 8)
  exit(0)
}

func require(_ condition: Bool, _ number: Int32) {
  if !condition { exit(number) }
}

/// The two ends of a pipe that holds `count` bytes.
func pipe(holding count: Int) -> (reading: Int32, writing: Int32) {
  var ends: [Int32] = [-1, -1]
  require(Glibc.pipe(&ends) == 0 && write(ends[1], [UInt8](repeating: 1, count: count), count) == count, 2)
  return (ends[0], ends[1])
}

func openDescriptors() -> Set<Int32> { Set((0..<64).filter { fcntl($0, F_GETFD) >= 0 }) }

let loop = try EventLoop()
let first = pipe(holding: 0)
let others = pipe(holding: 8)
var handled = false
_ = try loop.watch(first.reading, .readable) { _ in
  handled = true
  let former = openDescriptors()
  loop.close()
  let free = former.subtracting(openDescriptors())
  require(free.count == 3, 3)
  for number in free { require(dup2(others.reading, number) == number, 4) }
}
// Both descriptors become ready in this order, in one batch.
require(write(first.writing, [1], 1) == 1, 5)
loop.wake()
loop.dispatch()
require(handled, 6)
var left: Int32 = 0
require(ioctl(others.reading, UInt(FIONREAD), &left) == 0 && left == 8, 7)
