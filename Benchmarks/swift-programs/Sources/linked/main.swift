import Memory
import Segue

// As bare, and linked with Segue. The name keeps the library from being left out; nothing of it runs.
if CommandLine.arguments.count > 100 { print(try Application(id: "org.segue.Bench").id) }
print(await privateKiB())
