import SegueEngine
import Testing

@testable import SegueDaemon

/// The network by the kernel's tables, as /proc/net/route and /proc/net/arp print them.
@Suite struct NetworkRecognitionTests {
  private let header = "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"
  private let neighbors = """
    IP address       HW type     Flags       HW address            Mask     Device
    192.168.1.1      0x1         0x2         AA:bb:cc:dd:ee:01     *        wlan0
    192.168.1.7      0x1         0x2         aa:bb:cc:dd:ee:07     *        wlan0
    10.0.0.1         0x1         0x0         00:00:00:00:00:00     *        eth0
    192.168.1.1      0x1         0x2         aa:bb:cc:dd:ee:02     *        wlan1

    """

  private func route(_ interface: String, _ router: String, metric: Int) -> String {
    "\(interface)\t00000000\t\(router)\t0003\t0\t0\t\(metric)\t00000000\t0\t0\t0\n"
  }

  private func present(routes: String, neighbors: String) -> PresentNetwork {
    NetworkRecognition.present(routes: Array(routes.utf8), neighbors: Array(neighbors.utf8))
  }

  private func recognized(_ router: String) throws -> PresentNetwork {
    .recognized(try #require(NetworkID(router)))
  }

  @Test func theRouterOfTheBestRouteNamesIt() throws {
    let home = try recognized("aa:bb:cc:dd:ee:01")
    let wlan0 = route("wlan0", "0101A8C0", metric: 600)
    #expect(present(routes: header + wlan0, neighbors: neighbors) == home)
    // Two networks have the same addresses: the interface counts.
    let routes = header + wlan0 + route("wlan1", "0101A8C0", metric: 100)
    #expect(
      present(routes: routes, neighbors: neighbors)
        == (try recognized("aa:bb:cc:dd:ee:02")))
  }

  @Test func aRouterThatHasNotAnsweredIsUnrecognized() {
    let routes = header + route("eth0", "0100000A", metric: 0)
    #expect(present(routes: routes, neighbors: neighbors) == .unrecognized)
    #expect(present(routes: routes, neighbors: "") == .unrecognized)
  }

  @Test(arguments: ["", "\n\n", "Iface\nwlan0", "x\ty\nwlan0 00000000 zz 0 0 0 0 00000000"])
  func withoutARouterThereIsNone(_ routes: String) {
    #expect(present(routes: routes, neighbors: neighbors) == .none)
    let local = header + "eth0\t0001A8C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n"
    #expect(present(routes: local, neighbors: neighbors) == .none)
  }
}
