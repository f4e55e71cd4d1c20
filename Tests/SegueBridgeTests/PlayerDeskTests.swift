import Testing
@testable import SegueBridge
